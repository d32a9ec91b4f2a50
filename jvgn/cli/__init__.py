"""The command line. Modules here load nothing heavy: a command imports its stage when it runs."""

import os
from collections.abc import Iterator, Mapping
from importlib import import_module

import click

from jvgn.cli.errors import CommandGroup
from jvgn.cli.log import start_log

MODULES = {
    # For people.
    "ground_commands": "ground show",
    "explore_command": "explore",
    "rule_commands": "evaluate rules",
    "inspection_commands": "graph summary verify regions tables plan describe schema",
    "survey_commands": "survey",
    # For the workflow.
    "download_commands": "fetch download provide fetch-corenlp",
    "dataset_commands": "freeze world read-dataset read-custom read-entities parse adopt-graphs merge-graphs"
    " build-vocabulary sweep-vocabulary",
    "detector_commands": "read-training-set exclude-images train-detector adopt-detector measure-detector"
    " prove-detector declare-detector extract-regions import-regions merge-regions measure-recall",
    "run_commands": "weigh-rules train predict predict-rules score ablate compare examples gallery tabulate",
    "figure_commands": "figures",
}
"""The commands of each module, in the order of `--help`."""


class CommandTable(Mapping[str, click.Command]):
    """The commands by name. A module is imported when one of its commands is asked for: that takes a moment."""

    def __init__(self) -> None:
        self.module_of = {name: module for module, names in MODULES.items() for name in names.split()}

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"jvgn.cli.{self.module_of[name]}")
        return next(value for value in vars(module).values() if isinstance(value, click.Command) and value.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.module_of)

    def __len__(self) -> int:
        return len(self.module_of)


@click.group(cls=CommandGroup, commands=CommandTable(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jvgn")
def main() -> None:
    """Joint visual grounding with language scene graphs. People use the first commands, the workflow the others."""
    # Read when torch is loaded. Waiting threads must not spin: they would take the core of another job.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it, CUDA's products differ from run to run
    start_log()
