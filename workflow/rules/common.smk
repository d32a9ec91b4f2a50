"""What the rules share: the checked configuration, and the files and settings of each stage."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

from jvgn.storage.code import code_behind
from jvgn.settings.configuration import DEFAULT_RUN, configuration as checked_configuration
from parsers.errors import UserError
from jvgn.storage.files import record_of
from jvgn.storage.records import check_unchanged
from snakemake.exceptions import WorkflowError

try:
    configuration = checked_configuration(config)
except UserError as error:
    raise WorkflowError(str(error)) from None


def either_of(names):
    """A pattern for any of the names, and for nothing where there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def code_of(*modules):
    """The files behind a stage's command, found from its imports: as inputs, they rerun the stage when they change."""
    # Relative, so that a project that was moved or copied is still the same.
    return [os.path.relpath(file) for file in code_behind(modules).values()]


def existing(path):
    return [path] if Path(path).exists() else []


def records_of(paths):
    """What says from what the files were made; see docs/data.md."""
    return [str(record_of(Path(path))) for path in paths]


def as_json(settings):
    """The chosen values only: the defaults belong to the code, which is an input of its own."""
    return json.dumps(settings.model_dump(mode="json", exclude_unset=True), sort_keys=True)
