"""Whether `config.yaml` can be read at all: Snakemake, which reads it next, would not say in which line it cannot."""

import sys
from pathlib import Path

# `python -m jvgn` runs from the project's root; so does the check of the configuration.
sys.path.insert(0, str(workflow.basedir))

from jvgn.settings.base import read_yaml
from parsers.errors import UserError
from snakemake.exceptions import WorkflowError


def check_legibility(path):
    """The file is YAML, if it is there; others may be named on the command line."""
    try:
        if Path(path).exists():
            read_yaml(path)
    except UserError as error:
        raise WorkflowError(str(error)) from None


check_legibility("config.yaml")
