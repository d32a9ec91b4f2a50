"""The programs that cases start."""

import click

from jvgn.cli import main as jvgn
from parsers.__main__ import main as parsers
from parsers.corenlp.jars import main as corenlp_jars

PROGRAMS: dict[str, click.Command] = {"jvgn": jvgn, "parsers": parsers, "corenlp_jars": corenlp_jars}
