"""Train a run. Only the referent's box is labelled; belief propagation carries the gradient to all other nodes."""

import logging
from pathlib import Path

import torch

from jvgn.model import JVGN
from jvgn.runtime.distributed import Processes, check_precision, joined
from jvgn.settings.run import RunSettings
from jvgn.storage.files import on_success, sha256
from jvgn.storage.processes import watched
from jvgn.storage.tensor_files import TrainingState
from jvgn.training.checkpoint import new_model, save_model
from jvgn.training.examples import Inputs, workers_for
from jvgn.training.log import TrainingLog, write_history
from jvgn.training.trainer import Trainer
from jvgn.vocabulary.words import Vocabulary, read_vectors

log = logging.getLogger(__name__)


def train(
    inputs: Inputs,
    settings: RunSettings,
    model_path: Path,
    history_path: Path,
    device: torch.device,
    tensorboard: Path | None = None,
) -> None:
    """Train the model and save the epoch that is best on val (in det, a box with IoU > 0.5 is right).

    An interrupted training resumes at its last saved step; SIGTERM and SIGINT save one. Under `torchrun`, all processes
    call this, and the first one writes.
    """
    torch.set_deterministic_debug_mode("error")  # use_deterministic_algorithms also imports the compiler: 3 s
    check_precision(device, settings.training.precision)
    with joined(device) as processes:
        train_together(inputs, settings, model_path, history_path, processes, tensorboard)


def train_together(
    inputs: Inputs,
    settings: RunSettings,
    model_path: Path,
    history_path: Path,
    processes: Processes,
    tensorboard: Path | None,
) -> None:
    torch.manual_seed(settings.training.seed)
    examples = inputs.examples(settings)
    vocabulary = Vocabulary.read(inputs.words)
    feature_size = examples.store.feature_size
    model = new_model(settings, read_vectors(inputs.vectors, vocabulary), feature_size).to(processes.device)
    state = TrainingState(
        model_path.with_name("training_state.pt"),
        {
            "settings": settings.model_dump(mode="json"),
            "processes": processes.count,
            **{path.name: sha256(path) for path in inputs.files()},
        },
    )
    workers = workers_for(examples, torch.get_num_threads())
    trainer = Trainer(model, examples, settings.training, processes, workers)

    def log_to(total: int, done: int) -> TrainingLog:
        return TrainingLog(total, done, tensorboard, silent=not processes.is_first)

    with watched() as trainer.interruption:
        trainer.run(state, log_to)
    if processes.is_first:
        model.load_state_dict(trainer.best_weights)
        if isinstance(model, JVGN) and model.rule_scale is not None:
            log.info("scales of the rules' potentials: unary %.3f, pairwise %.3f", *model.rule_scale.tolist())
        save_model(model_path, model, settings, feature_size, vocabulary.words)
        write_history(history_path, trainer.history)
        on_success(state.remove)
    processes.wait()  # until the first one has written: torchrun stops all processes when one ends early
