"""The command line. Modules here load nothing heavy: a command imports its stage when it runs."""

import os

import click

from jvgn.cli.dataset_commands import DATASET_COMMANDS
from jvgn.cli.detector_commands import DETECTOR_COMMANDS
from jvgn.cli.download_commands import DOWNLOAD_COMMANDS
from jvgn.cli.errors import Commands
from jvgn.cli.figure_commands import figures
from jvgn.cli.ground_commands import GROUND_COMMANDS
from jvgn.cli.inspection_commands import INSPECTION_COMMANDS
from jvgn.cli.log import start_log
from jvgn.cli.rule_commands import RULE_COMMANDS
from jvgn.cli.run_commands import RUN_COMMANDS
from jvgn.cli.survey_commands import survey


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jvgn")
def main() -> None:
    """Joint visual grounding with language scene graphs. People use the first commands, the workflow the others."""
    # Read when torch is loaded. Waiting threads must not spin: they would take the core of another job.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it, CUDA's products differ from run to run
    start_log()


FOR_PEOPLE = [*GROUND_COMMANDS, *RULE_COMMANDS, *INSPECTION_COMMANDS, survey]
OF_THE_WORKFLOW = [*DOWNLOAD_COMMANDS, *DATASET_COMMANDS, *DETECTOR_COMMANDS, *RUN_COMMANDS, figures]

for command in [*FOR_PEOPLE, *OF_THE_WORKFLOW]:
    main.add_command(command)
