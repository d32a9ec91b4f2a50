"""The paper's ablation: marginalisation in training and in inference, each on and off.

`ablation.csv`: marginalise_training, marginalise_inference, split, accuracy, context_accuracy (percent).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from jvgn.evaluation.predict import GoldObjects, believed, prediction_rows
from jvgn.evaluation.score import Answers, percent
from jvgn.storage.files import replacing
from jvgn.training.checkpoint import TrainedModel, load_model
from jvgn.training.run_files import Inputs
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError


@dataclass(frozen=True)
class Models:
    """Two trained models that differ in nothing else."""

    marginalised: Path
    unmarginalised: Path


def ablate(inputs: Inputs, models: Models, table: Path, right_above: float, device: torch.device) -> None:
    """`table` has the four rows for each split."""
    torch.use_deterministic_algorithms(True)
    answers = Answers(inputs.dataset, inputs.nodes, inputs.edges)
    rows: list[dict[str, Any]] = []
    for trained in load_pair(models, device):
        for in_inference, predictions in both_ways(inputs, trained, right_above, device).items():
            for split, expressions in answers.table(predictions).groupby("split"):
                context = answers.context(predictions, expressions)
                rows.append(
                    {
                        "marginalise_training": trained.settings.training.marginalise,
                        "marginalise_inference": in_inference,
                        "split": split,
                        "accuracy": percent(expressions["correct"]),
                        "context_accuracy": percent(context) if len(context) else None,
                    }
                )
    with replacing(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False)


def load_pair(models: Models, device: torch.device) -> list[TrainedModel]:
    without, with_ = load_model(models.unmarginalised, device), load_model(models.marginalised, device)
    training = without.settings.training.model_copy(update={"marginalise": True})
    if (
        without.settings.training.marginalise
        or without.settings.model_copy(update={"training": training}) != with_.settings
    ):
        raise UserError(
            f"{without.path}: expected the run of {with_.path} but for training.marginalise: false; give the model of"
            " the run unmarginalised"
        )
    return [without, with_]


def both_ways(
    inputs: Inputs, trained: TrainedModel, right_above: float, device: torch.device
) -> dict[bool, pd.DataFrame]:
    """A model's predictions without and with marginalisation in inference."""
    examples = inputs.examples(trained.settings, right_above)
    trained.check(examples.store.feature_size, Vocabulary.read(inputs.words).words)
    gold = GoldObjects(inputs.dataset)
    predictions = pd.concat(
        prediction_rows(examples, batch, beliefs, "marginal", gold)
        for batch, beliefs in believed(trained.model, examples, device)
    )
    return {False: predictions.assign(correct=predictions["unary_correct"]), True: predictions}
