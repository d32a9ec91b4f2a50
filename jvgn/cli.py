"""The command line: each command hands files to one stage. Stages are imported when asked for, so help is quick."""

import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from parsers.files import UserError

FILE = click.Path(path_type=Path)
SETTINGS = {
    "world": "WorldSettings",
    "detector": "DetectorSettings",
    "regions": "RegionSettings",
    "vocabulary": "VocabularySettings",
    "run": "RunSettings",
    "evaluation": "EvaluationSettings",
}
"""For each module of `jvgn.settings` that a stage reads, its model."""


class Commands(click.Group):
    """Shows a user's mistake as one line, exit code 1, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"Error: {' '.join(str(error).split())}", err=True)
            sys.exit(1)


def files(*names: str) -> Callable:
    """Required options that name files: `dataset` becomes `--dataset DATASET`."""

    def decorate(command: Callable) -> Callable:
        for name in reversed(names):
            command = click.option(f"--{name.replace('_', '-')}", type=FILE, required=True)(command)
        return command

    return decorate


def device_option(command: Callable) -> Callable:
    return click.option("--device", help="cpu, cuda or cuda:1; the default is cuda where there is one.")(command)


def threads_option(command: Callable) -> Callable:
    return click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)(command)


def prepared_device(device: str | None, threads: int) -> Any:
    import torch

    torch.set_num_threads(threads)
    try:
        chosen = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise UserError(f"--device {device}: not to be had on this machine; leave it out, or say cpu") from error
    return chosen


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jvgn")
def main() -> None:
    """Joint visual grounding with language scene graphs. The workflow runs these commands; so can you."""
    # Read when torch is loaded. Threads that wait must not spin: beside another job they would take its core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it, CUDA's products differ from run to run
    logging.basicConfig(level=logging.INFO, format="%(message)s")


@main.command()
@click.argument("kind", type=click.Choice(list(SETTINGS)))
@click.argument("values")
@click.argument("output", type=FILE)
def freeze(kind: str, values: str, output: Path) -> None:
    """Write settings in full, defaults included: VALUES is JSON."""
    from importlib import import_module

    from jvgn.settings.base import validated

    model = getattr(import_module(f"jvgn.settings.{kind}"), SETTINGS[kind])
    try:
        chosen = json.loads(values)
    except ValueError as error:
        raise UserError(f"settings of the {kind}: not readable as JSON ({error})") from error
    validated(model, chosen, f"settings of the {kind}").write(output)


@main.command()
@files("settings", "folder")
@threads_option
def world(settings: Path, folder: Path, threads: int) -> None:
    """Draw the world `shapes` in REFER's format."""
    from jvgn.settings.world import WorldSettings
    from jvgn.shapes.world import make_world

    make_world(WorldSettings.read(settings), folder, threads)


@main.command()
@files("refs", "instances", "output")
def read_dataset(refs: Path, instances: Path, output: Path) -> None:
    """Read a dataset in REFER's format into four tables."""
    from jvgn.datasets.refer import read_dataset as read

    read(refs, instances, output)


@main.command()
@files("settings", "dataset", "images", "weights", "provenance")
@click.option("--others", type=FILE, multiple=True, help="Expressions of other datasets with the same images.")
@threads_option
@device_option
def train_detector(
    settings: Path,
    dataset: Path,
    images: Path,
    weights: Path,
    provenance: Path,
    others: tuple[Path, ...],
    threads: int,
    device: str | None,
) -> None:
    """Train a Faster R-CNN on the training images that no dataset evaluates on."""
    from jvgn.regions.training import train_detector as train
    from jvgn.settings.detector import DetectorSettings

    train(
        DetectorSettings.read(settings),
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        expressions=dataset / "expressions.parquet",
        other_expressions=others,
        folder=images,
        weights=weights,
        provenance=provenance,
        device=prepared_device(device, threads),
        threads=threads,
    )


@main.command()
@files("evaluation", "provenance", "output")
@click.argument("expressions", type=FILE, nargs=-1, required=True)
def prove_detector(evaluation: Path, provenance: Path, output: Path, expressions: tuple[Path, ...]) -> None:
    """Prove that a detector saw no image that EXPRESSIONS evaluate on."""
    from jvgn.regions.proof import prove_disjoint
    from jvgn.settings.evaluation import EvaluationSettings

    prove_disjoint(provenance, expressions, output, EvaluationSettings.read(evaluation).allow_leaking)


@main.command()
@click.argument("setting", type=click.Choice(["gt", "det"]))
@files("settings", "detector", "dataset", "images", "weights", "provenance", "output")
@click.option("--name", nargs=2, required=True, help="The dataset's and the detector's.")
@threads_option
@device_option
def extract_regions(
    setting: str,
    settings: Path,
    detector: Path,
    dataset: Path,
    images: Path,
    weights: Path,
    provenance: Path,
    output: Path,
    name: tuple[str, str],
    threads: int,
    device: str | None,
) -> None:
    """Write the regions of all images: those of the annotations (gt) or detected ones (det)."""
    from jvgn.regions.extraction import extract_regions as extract
    from jvgn.settings.detector import DetectorSettings
    from jvgn.settings.regions import RegionSettings

    extract(
        RegionSettings.read(settings),
        "gt" if setting == "gt" else "det",
        detector=DetectorSettings.read(detector),
        name=name[1],
        dataset=name[0],
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        folder=images,
        weights=weights,
        provenance=provenance,
        output=output,
        device=prepared_device(device, threads),
        threads=threads,
    )


@main.command()
@files("settings", "expressions", "words", "vectors")
def build_vocabulary(settings: Path, expressions: Path, words: Path, vectors: Path) -> None:
    """Count words and give each a vector to start from."""
    from jvgn.settings.vocabulary import VocabularySettings
    from jvgn.vocabulary import build_vectors
    from jvgn.vocabulary import build_vocabulary as build

    chosen = VocabularySettings.read(settings)
    build(expressions, words, chosen.more_often_than, chosen.splits)
    build_vectors(words, vectors, chosen.vector_size, chosen.glove, chosen.seed)


RUN_INPUTS = ("dataset", "regions", "nodes", "edges", "words", "vectors")


@main.command()
@files("settings", *RUN_INPUTS, "model", "history")
@threads_option
@device_option
def train(settings: Path, model: Path, history: Path, threads: int, device: str | None, **inputs: Path) -> None:
    """Train a run."""
    from jvgn.inputs import Inputs
    from jvgn.settings.run import RunSettings
    from jvgn.training import train as run

    run(Inputs(**inputs), RunSettings.read(settings), model, history, prepared_device(device, threads))


@main.command()
@files("evaluation", *RUN_INPUTS, "model", "output")
@threads_option
@device_option
def predict(evaluation: Path, model: Path, output: Path, threads: int, device: str | None, **inputs: Path) -> None:
    """Ground every node of every expression outside the training split."""
    from jvgn.inputs import Inputs
    from jvgn.prediction import predict as run
    from jvgn.settings.evaluation import EvaluationSettings

    right_above = EvaluationSettings.read(evaluation).iou_threshold
    run(Inputs(**inputs), model, output, right_above, prepared_device(device, threads))


@main.command()
@files("evaluation", *RUN_INPUTS, "model", "settings", "proof", "predictions", "output")
@click.option("--name", nargs=3, required=True, help="Of the dataset, the setting and the run.")
def score(evaluation: Path, output: Path, name: tuple[str, str, str], **inputs: Path) -> None:
    """Say how good predictions are."""
    from jvgn.evaluation import RunName, Scored
    from jvgn.evaluation import score as run
    from jvgn.settings.evaluation import EvaluationSettings

    run(Scored(**inputs), RunName(*name), EvaluationSettings.read(evaluation).iou_threshold, output)


@main.command()
@files("evaluation", *RUN_INPUTS, "model", "unmarginalised", "output")
@threads_option
@device_option
def ablate(
    evaluation: Path, model: Path, unmarginalised: Path, output: Path, threads: int, device: str | None, **inputs: Path
) -> None:
    """Compare marginalisation in training and inference, on and off."""
    from jvgn.ablation import Models
    from jvgn.ablation import ablate as run
    from jvgn.inputs import Inputs
    from jvgn.settings.evaluation import EvaluationSettings

    right_above = EvaluationSettings.read(evaluation).iou_threshold
    run(Inputs(**inputs), Models(model, unmarginalised), output, right_above, prepared_device(device, threads))


@main.command()
@files("dataset", "nodes", "predictions", "images", "output")
def examples(dataset: Path, nodes: Path, predictions: Path, images: Path, output: Path) -> None:
    """Draw what message passing changed."""
    from jvgn.figures import draw_examples

    draw_examples(dataset, nodes, predictions, images, output)


@main.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
def summary(runs: tuple[Path, ...]) -> None:
    """Print the results of RUNS as a table."""
    from jvgn.summary import summary as table

    click.echo(table(list(runs)))


@main.command()
@click.argument("sentence")
@click.option("--backend", default="lexical", show_default=True, help="The parser.")
def graph(sentence: str, backend: str) -> None:
    """Print the scene graph of a SENTENCE; a star marks the referent."""
    from parsers import parse

    click.echo(str(parse(sentence, backend=backend)))


@main.command()
@click.argument("image", type=FILE)
@click.argument("sentence")
@click.option("--run", type=FILE, required=True, help="The folder of a trained run, such as results/shapes_det.")
@click.option("--output", type=FILE, help="Also draw the groundings into this PNG or SVG file.")
@threads_option
@device_option
def ground(image: Path, sentence: str, run: Path, output: Path | None, threads: int, device: str | None) -> None:
    """Find every object that a SENTENCE mentions in an IMAGE."""
    from PIL import Image

    from jvgn.grounder import Grounder

    chosen = prepared_device(device, threads)
    groundings = Grounder.load(run, str(chosen)).ground(image, sentence)
    for found in groundings:
        mark = "*" if found.is_referent else " "
        box = ", ".join(f"{side:.0f}" for side in found.box)
        click.echo(f"{mark} {found.phrase:30} [{box}]  {found.unary:.2f} before, {found.marginal:.2f} after")
    if output is not None:
        from jvgn.figures import draw_grounding

        with Image.open(image) as picture:
            draw_grounding(picture.convert("RGB"), sentence, groundings, output)


@main.command()
@click.argument("output", type=FILE)
def schema(output: Path) -> None:
    """Write the JSON schema of config.yaml."""
    from jvgn.settings.configuration import configuration_schema
    from parsers.files import replacing

    with replacing(output) as temporary:
        temporary.write_text(json.dumps(configuration_schema(), indent=2) + "\n")
