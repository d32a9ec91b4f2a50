"""Commands of the stages under load, as in the rules of the workflow."""

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.long.load.world import World


def commands(world: World, threads: int) -> dict[str, list[str]]:
    run, made = run_options(world), world.made
    parse = ["parse", *options(settings=world.settings("parser"), threads=threads), str(world.table("expressions"))]
    graphs = [str(made(name)) for name in ("nodes.parquet", "edges.parquet", "coverage.json")]
    vocabulary = {"settings": world.settings("vocabulary"), "expressions": world.table("expressions")}
    vocabulary |= {name: run[name] for name in ("words", "vectors")} | {"missing": made("missing.csv")}
    training = {"settings": world.settings("run"), **run, "model": made("model.safetensors")}
    training |= {"history": made("history.parquet"), "tensorboard": made("tensorboard"), "threads": threads}
    evaluated = {"evaluation": world.settings("evaluation"), **run, "model": made("model.safetensors")}
    prediction = {**evaluated, "output": made("predictions.parquet"), "threads": threads}
    scoring = {**evaluated, "settings": world.settings("run"), "proof": world.proof}
    scoring |= {"predictions": made("predictions.parquet"), "output": made("metrics.json")}
    return {
        "graphs": command(*parse, *graphs),
        "vocabulary": command("build-vocabulary", *options(**vocabulary)),
        "training": command("train", *options(**training, processes=1, machines=1)),
        "prediction": command("predict", *options(**prediction)),
        "scoring": command("score", *options(**scoring), "--name", "load", "det", "default"),
    }


def run_options(world: World) -> Mapping[str, Path]:
    """Return the inputs of training and evaluation."""
    made = {"nodes": "nodes.parquet", "edges": "edges.parquet", "words": "words.parquet", "vectors": "vectors.npy"}
    files = {name: world.made(file) for name, file in made.items()}
    return {"dataset": world.table("expressions").parent, "regions": world.regions, **files}


def options(**values: Path | int) -> list[str]:
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "jvgn", *words]
