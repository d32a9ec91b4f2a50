"""How soon `jvgn ground` answers on the demo's run, beside what importing torch alone takes in the same run."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from tests.long.bench.measuring import Cost, Row, costs

RUN, IMAGES = Path("results/shapes_det"), Path("resources/shapes/images")
SENTENCE = "triangle below a red heart that lies over a heart"
IMPORTS = ("-c", "import torch, torchvision")
MORE = 20


def python(*arguments: object) -> None:
    subprocess.run([sys.executable, *map(str, arguments)], check=True, capture_output=True)


def ground_rows(repeats: int = 5) -> Iterator[Row]:
    if not (RUN / "model.safetensors").exists():
        click.echo(f"{RUN}: jvgn ground is measured after `make demo`", err=True)
        return
    ask = ("-m", "jvgn", "ground", min(IMAGES.glob("*.jpg")))
    with tempfile.TemporaryDirectory() as folder:
        works = [
            partial(python, *IMPORTS),
            partial(python, *ask, SENTENCE, "--run", RUN, "--json", "-"),
            partial(python, *ask, *[SENTENCE] * (1 + MORE), "--run", RUN, "--json", "-"),
            partial(python, *ask, SENTENCE, "--run", RUN, "--output", Path(folder) / "a.png"),
        ]
        imports, one, many, drawn = (Cost(cost.seconds, None) for cost in costs(*works, repeats=repeats))
    yield after_imports("jvgn ground, one expression", one, imports, "≤ 2 s after it")
    yield after_imports("the same with its picture", drawn, imports, "")
    each = Cost((many.seconds - one.seconds) / MORE, None)
    name, ratio = "an expression more about the image", each.seconds / imports.seconds
    yield Row(name, each, "import torch, torchvision", imports, ratio, "≤ 0.3 s", each.seconds <= 0.3)


def after_imports(name: str, work: Cost, imports: Cost, target: str) -> Row:
    later = work.seconds - imports.seconds
    ratio, note = work.seconds / imports.seconds, f"{later:.2f} s after it"
    return Row(name, work, "import torch, torchvision", imports, ratio, target, later <= 2, note)


ROWS: list[Callable[[], Iterator[Row]]] = [ground_rows]
