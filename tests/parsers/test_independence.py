"""Parsing a sentence needs no other package of the project and none of its heavy libraries."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
for name in ("torch", "click", "pyarrow", "pandas", "numpy", "stanza", "simplemma", "jvgn"):
    sys.modules[name] = None  # importing it raises ImportError

import importlib, pkgutil, parsers
graph = parsers.parse("the man's gold watch on a small table")
assert [node.head for node in graph.nodes] == ["man", "watch", "table"], graph
assert parsers.parse("two guys", conventions="factual").nodes[0].head == "people"
for module in pkgutil.walk_packages(parsers.__path__, "parsers."):
    if module.name != "parsers.__main__":  # the command line, which needs click
        importlib.import_module(module.name)
"""


def test_parsing_needs_no_torch_click_pyarrow_pandas_or_jvgn():
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
