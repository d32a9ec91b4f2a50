"""Tables, predictions and metrics that were changed after the workflow made them."""

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from jvgn.datasets import tables
from jvgn.evaluation.predictions import PREDICTIONS, WAYS
from jvgn.graphs.tables import EDGES, NODES
from jvgn.storage.parquet import read_table, write_table
from tests.errors.case import Bench, Case

AGAIN = "delete it and run the workflow again"
SCHEMAS = {
    "images": tables.IMAGES,
    "objects": tables.OBJECTS,
    "expressions": tables.EXPRESSIONS,
    "nodes": NODES,
    "edges": EDGES,
    "predictions": PREDICTIONS,
}
MAY_BE_EMPTY = ["correct", *(f"{way}_correct" for way in WAYS)]

Arrange = Callable[[Bench], list[Any]]


def world_of(bench: Bench) -> Any:
    from tests.long.fuzz.world import copied_world

    return copied_world(bench.folder)


def changed(name: str, row: int, command: Callable[[Any], list[Any]], **values: Any) -> Arrange:
    """Runs a command on a little world, in one table of which a row has these values; a row of -1 is one more."""

    def arrange(bench: Bench) -> list[Any]:
        world = world_of(bench)
        own = {"nodes": world.nodes, "edges": world.edges, "predictions": world.predictions}
        path = own.get(name, world.table(name))
        rows = read_table(path, SCHEMAS[name], MAY_BE_EMPTY).to_pylist()
        rows += rows[-1:] if row == -1 else []
        rows[row] = rows[row] | values
        write_table(path, pa.Table.from_pylist(rows, schema=SCHEMAS[name]), SCHEMAS[name])
        return command(world)

    return arrange


def show(world: Any) -> list[Any]:
    return ["show", world.run, "301", "--images", world.images]


def examples(world: Any) -> list[Any]:
    files = {"--dataset": world.tables, "--nodes": world.nodes, "--predictions": world.predictions}
    return ["examples", *sum(files.items(), ()), "--images", world.images, "--output", "examples.png"]


def score(world: Any) -> list[Any]:
    files = {f"--{name}": getattr(world, name) for name in ("regions", "nodes", "edges", "words", "vectors", "model")}
    files |= {f"--{name}": getattr(world, name) for name in ("settings", "proof", "predictions")}
    evaluation = world.root / "evaluation.yaml"
    evaluation.write_text("{}")
    named = ["--dataset", world.tables, "--evaluation", evaluation, "--output", "metrics.json"]
    return ["score", *sum(files.items(), ()), *named, "--name", "little", "gt", "default"]


def survey(world: Any) -> list[Any]:
    files = ["--images", world.images, "--output", "form.html", "--key", "key.json"]
    return ["survey", "make", f"ours={world.run}", "--examples", "2", *files]


def metrics_in_words(bench: Bench) -> list[Any]:
    world = world_of(bench)
    metrics = json.loads(world.metrics.read_text())
    metrics["splits"]["test"]["accuracy"] = "high"
    world.metrics.write_text(json.dumps(metrics))
    return ["summary", world.run]


CASES = [
    Case(f"…: a cell of its column … is empty; {AGAIN}", changed("expressions", 0, show, text=None)),
    Case(f"…: two of its rows have the same …; {AGAIN}", changed("images", -1, show)),
    Case(f"…: its expressions are not in ascending order; {AGAIN}", changed("expressions", -1, show)),
    Case(f"…: it has an image without width or height; {AGAIN}", changed("images", 0, show, width=0)),
    Case(
        f"…: it has an image …, which is no file in a folder of images; {AGAIN}",
        changed("images", 0, show, file_name="../private.png"),
    ),
    Case(f"…: it speaks of … …, which no other table has; {AGAIN}", changed("expressions", 0, show, object_id=9)),
    Case(
        f"…: an expression does not have exactly one referent; {AGAIN}",
        changed("predictions", -1, show, node=9, is_referent=True),
    ),
    Case(
        f"…: it has expression …, which is none that the dataset evaluates; {AGAIN}",
        changed("predictions", -1, show, expression_id=101, is_referent=True),
    ),
    Case(
        "…: it has a probability in … that is none; train the run again",
        changed("predictions", 0, show, marginal=float("nan")),
    ),
    Case(f"…: it has a box that is none; {AGAIN}", changed("predictions", 0, show, x2=float("inf"))),
    Case(f"…: it has a region with a negative number; {AGAIN}", changed("predictions", 0, show, region=-1)),
    Case(f"…: it grounds nodes that … lacks; {AGAIN}", changed("nodes", 10, examples, node=7)),
    Case(
        "…: image … has … regions, and predictions name number …; predict again",
        changed("predictions", 1, score, region=9, is_referent=False),
    ),
    Case(f"…: expression …: …; {AGAIN}", changed("edges", -1, survey, subject=7)),
    Case(f"…: a part of a run's metrics is none (…); {AGAIN}", metrics_in_words),
]
