"""Options that commands have in common, and the device that they ask for."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jvgn.storage.stage_command import Given, Made
from parsers.errors import UserError

if TYPE_CHECKING:  # as for every command: no stage shall depend on more of the code than its own
    from jvgn.grounding.run_folder import RunFolder

FILE = click.Path(path_type=Path)
TABLES = ("images", "objects", "expressions", "mentions")
"""Of a dataset."""


def given(*names: str) -> Callable:
    """Required options that name files the command reads: `regions` becomes `--regions REGIONS`."""
    return paths(*names, kind=Given())


def made(*names: str) -> Callable:
    """Required options that name files the command writes."""
    return paths(*names, kind=Made())


def tables(*names: str) -> Callable:
    """A dataset's folder, of which the command reads these tables."""
    return paths("dataset", kind=Given([f"{name}.parquet" for name in names]))


def made_tables(*names: str) -> Callable:
    """A folder into which the command writes these tables of a dataset."""
    return paths("output", kind=Made([f"{name}.parquet" for name in names]))


def paths(*names: str, kind: click.Path = FILE) -> Callable:
    """Required options that name files or folders."""

    def decorate(command: Callable) -> Callable:
        for name in reversed(names):
            command = click.option(f"--{name.replace('_', '-')}", type=kind, required=True)(command)
        return command

    return decorate


def device_option(command: Callable) -> Callable:
    return click.option("--device", help="cpu, cuda or cuda:1; the default is cuda where there is one.")(command)


def threads_option(command: Callable) -> Callable:
    return click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)(command)


def processes_option(command: Callable) -> Callable:
    help = "One for each GPU; several are started by torchrun."
    return click.option("--processes", type=click.IntRange(min=0), default=1, show_default=True, help=help)(command)


def machines_option(command: Callable) -> Callable:
    help = "Nodes of a SLURM job, over which the processes are spread."
    return click.option("--machines", type=click.IntRange(min=1), default=1, show_default=True, help=help)(command)


def own_threads(threads: int) -> int:
    """The processes that torchrun starts on a machine share its threads."""
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
            f"--device {name}: not to be had on this machine; say cpu, or as many --processes as there are GPUs"
        ) from error
    return chosen


def images_of(run: "RunFolder", config: Path | None = None) -> Path:
    """The folder of a dataset's images, by a configuration: the one beside the results, unless it is named."""
    from jvgn.settings.configuration import read_configuration

    root = run.results.parent
    path = config or root / "config.yaml"
    if not path.exists():
        raise UserError(f"{path}: there is no such file to say where the images are; name it: --images FOLDER")
    datasets = read_configuration(path).datasets
    if run.dataset not in datasets:
        raise UserError(f"{path}: has no dataset {run.dataset}; say where its images are: --images FOLDER")
    return root / datasets[run.dataset].images


def parser_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command `--backend` and `--option`, for `named_parser`."""
    pairs = click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the parser's.")
    return click.option("--backend", default="lexical", show_default=True, help="The parser.")(pairs(command))
