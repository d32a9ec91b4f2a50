"""Options that several commands have, and the device that they name."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from jvgn.storage.stage_command import Given, Made
from parsers.errors import UserError

FILE = click.Path(path_type=Path)

HELP = {
    "ablation": "The accuracies of the ablation.",
    "coverage": "Counts of the parser.",
    "csv": "The table of the paper as CSV.",
    "dataset": "The folder of the dataset's tables.",
    "detector": "The settings of the detector.",
    "edges": "The edges of the scene graphs.",
    "evaluation": "The settings of the evaluation.",
    "excluded": "The images that no detector may be trained on.",
    "expressions": "The expressions of the dataset.",
    "figure": "The figure to write.",
    "folder": "The folder to write into.",
    "history": "The loss and the accuracy of each epoch.",
    "images": "The folder of the images.",
    "instances": "Annotations in COCO's format.",
    "losses": "The table to write of a detector's losses in each epoch.",
    "markdown": "The same table as Markdown.",
    "measured": "The measured average precision.",
    "metrics": "The metrics of the run.",
    "missing": "The list to write of words without a vector.",
    "model": "The trained model.",
    "nodes": "The nodes of the scene graphs.",
    "numbers": "The table to write of the figure's numbers.",
    "output": "The file or folder to write.",
    "picture": "The picture to show.",
    "predictions": "The predictions of the run.",
    "proof": "The proof that the detector saw no evaluation image.",
    "provenance": "The images and settings behind a detector.",
    "refs": "The references in REFER's format, a pickle.",
    "regions": "The regions of the images.",
    "settings": "The settings of this stage, a YAML file.",
    "skipped": "The list to write of skipped images and objects.",
    "vectors": "The initial vectors of the words.",
    "weights": "The weights of the detector.",
    "words": "The words of the vocabulary.",
}
"""The help of each option that names a file or folder; it means the same in every command."""


def given(*names: str) -> Callable:
    """Add required options for files that the command reads: `regions` becomes `--regions REGIONS`."""
    return paths(*names, kind=Given())


def made(*names: str) -> Callable:
    """Add required options for files that the command writes."""
    return paths(*names, kind=Made())


def tables(*names: str) -> Callable:
    """Add an option for a dataset's folder, from which the command reads these tables."""
    return paths("dataset", kind=Given([f"{name}.parquet" for name in names]))


def made_tables(*names: str) -> Callable:
    """Add an option for a folder into which the command writes these tables."""
    return paths("output", kind=Made([f"{name}.parquet" for name in names]))


def paths(*names: str, kind: click.Path = FILE) -> Callable:
    """Add required options for files or folders."""

    def decorate(command: Callable) -> Callable:
        for name in reversed(names):
            command = click.option(f"--{name}", type=kind, required=True, help=HELP[name])(command)
        return command

    return decorate


def title_option(command: Callable) -> Callable:
    return click.option("--title", required=True, help="The run, parser or detector that is shown.")(command)


def config_option(command: Callable) -> Callable:
    help = "A file over config.yaml, as in Snakemake; may be repeated, later files override earlier ones."
    return click.option("--configfile", "--config", "config", type=FILE, multiple=True, help=help)(command)


def device_option(command: Callable) -> Callable:
    return click.option("--device", help="cpu, cuda or cuda:1; cuda by default if there is one.")(command)


def threads_option(command: Callable) -> Callable:
    help = "Threads of this machine to compute with."
    return click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help=help)(command)


def processes_option(command: Callable) -> Callable:
    help = "One for each GPU; torchrun starts them if there are several."
    return click.option("--processes", type=click.IntRange(min=0), default=1, show_default=True, help=help)(command)


def machines_option(command: Callable) -> Callable:
    help = "Nodes of the SLURM job to spread the processes over."
    return click.option("--machines", type=click.IntRange(min=1), default=1, show_default=True, help=help)(command)


def training_options(command: Callable) -> Callable:
    """Add the options of a training: processes, machines, threads and device."""
    return processes_option(machines_option(threads_option(device_option(command))))


def tensorboard_option(command: Callable) -> Callable:
    help = "Also write TensorBoard's logs into this folder."
    return click.option("--tensorboard", type=FILE, help=help)(command)


def own_threads(threads: int) -> int:
    """Return the threads of one process: those that torchrun starts on a machine share them."""
    return max(1, threads // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def prepared_device(device: str | None, threads: int) -> Any:
    import torch

    torch.set_num_threads(own_threads(threads))
    name = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda":  # torchrun's processes have a GPU each
        name = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    try:
        chosen = torch.device(name)
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise UserError(
            f"--device {name}: not available on this machine; give cpu, or at most as many --processes as GPUs"
        ) from error
    return chosen


def json_value(text: str, what: str) -> Any:
    """Return the value of an option that is JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise UserError(f"{what}: invalid JSON ({error}); write JSON, quoted as one argument") from error


def parser_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--backend` and `--option`, for `named_parser`."""
    pairs = click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the parser.")
    return click.option("--backend", default="lexical", show_default=True, help="The parser.")(pairs(command))
