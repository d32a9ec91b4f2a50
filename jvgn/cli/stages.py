"""The stages on the command line: each command hands files to one stage, imported when it is asked for."""

from pathlib import Path

import click

from jvgn.cli.options import (
    FILE,
    TABLES,
    device_option,
    given,
    machines_option,
    made,
    made_tables,
    paths,
    prepared_device,
    processes_option,
    tables,
    threads_option,
)
from jvgn.storage.stage_command import Given, Made, Stage, reads, runs
from jvgn.storage.text_formats import parsed_json
from parsers.errors import UserError

SETTINGS = {
    "world": "WorldSettings",
    "custom": "CustomSettings",
    "detector": "DetectorFile",
    "regions": "RegionSettings",
    "parser": "ParserSettings",
    "vocabulary": "VocabularySettings",
    "run": "RunSettings",
    "evaluation": "EvaluationSettings",
}
"""For each module of `jvgn.settings` that a stage reads, its model."""


@click.command(cls=Stage)
@click.argument("kind", type=click.Choice(list(SETTINGS)))
@click.argument("values")
@click.argument("output", type=Made())
def freeze(kind: str, values: str, output: Path) -> None:
    """Write settings in full, defaults included: VALUES is JSON."""
    from importlib import import_module

    from jvgn.settings.base import validated

    module = import_module(f"jvgn.settings.{kind}")
    runs(module.__name__)
    try:
        chosen = parsed_json(values)
    except ValueError as error:
        raise UserError(f"settings of the {kind}: not readable as JSON ({error})") from error
    validated(getattr(module, SETTINGS[kind]), chosen, f"settings of the {kind}").write(output)


@click.command(cls=Stage)
@given("settings")
@paths("folder", kind=Made(["refs(jvgn).p", "instances.json"]))
@threads_option
def world(settings: Path, folder: Path, threads: int) -> None:
    """Draw the world `shapes` in REFER's format."""
    from jvgn.settings.world import WorldSettings
    from jvgn.shapes.world import make_world

    make_world(WorldSettings.read(settings), folder, threads)


@click.command(cls=Stage)
@given("refs", "instances")
@made_tables(*TABLES)
@click.option("--counts", default="{}", help="The expressions that each split should have, as JSON.")
def read_dataset(refs: Path, instances: Path, output: Path, counts: str) -> None:
    """Read a dataset in REFER's format into four tables."""
    from jvgn.datasets.refer import read_dataset as read

    try:
        expected = parsed_json(counts)
    except ValueError as error:
        raise UserError(f'--counts: not readable as JSON ({error}); write it as: {{"val": 10}}') from error
    if not (isinstance(expected, dict) and all(type(count) is int for count in expected.values())):
        raise UserError(f'--counts: expected a number for each split, found {counts}; write it as: {{"val": 10}}')
    read(refs, instances, output, expected)


@click.command(cls=Stage)
@given("settings", "expressions")
@made("words", "vectors", "missing")
def build_vocabulary(settings: Path, expressions: Path, words: Path, vectors: Path, missing: Path) -> None:
    """Count words, give each a vector to start from, and list those that have none."""
    from jvgn.settings.vocabulary import VocabularySettings
    from jvgn.vocabulary.glove import build_vectors
    from jvgn.vocabulary.words import build_vocabulary as build
    from jvgn.vocabulary.words import list_missing

    chosen = VocabularySettings.read(settings)
    reads(chosen.glove)
    vocabulary = build(expressions, words, chosen.more_often_than, chosen.splits)
    in_glove = build_vectors(vocabulary, vectors, chosen.vector_size, chosen.glove, chosen.seed)
    list_missing(expressions, vocabulary, in_glove if chosen.glove else None, missing)


@click.command(cls=Stage)
@given("expressions")
@made("output")
@click.option("--dataset", required=True, help="Its name, by which the paper's size of its vocabulary is known.")
def sweep_vocabulary(expressions: Path, output: Path, dataset: str) -> None:
    """Say how large the vocabulary is for every threshold, beside the paper's."""
    from jvgn.vocabulary.sweep import sweep

    sweep(expressions, output, dataset)


RUN_FILES = ("regions", "nodes", "edges", "words", "vectors")
RUN_TABLES = tables(*TABLES)


@click.command(cls=Stage)
@given("settings", *RUN_FILES)
@RUN_TABLES
@made("model", "history")
@click.option("--tensorboard", type=FILE, help="Also write TensorBoard's logs into this folder.")
@processes_option
@machines_option
@threads_option
@device_option
def train(
    settings: Path,
    model: Path,
    history: Path,
    tensorboard: Path | None,
    processes: int,
    machines: int,
    threads: int,
    device: str | None,
    **inputs: Path,
) -> None:
    """Train a run. Under torchrun, its processes train together."""
    from jvgn.runtime.distributed import start_processes
    from jvgn.settings.run import RunSettings
    from jvgn.training.run import train as run
    from jvgn.training.run_files import Inputs

    start_processes(processes, machines, threads)
    run(Inputs(**inputs), RunSettings.read(settings), model, history, prepared_device(device, threads), tensorboard)


@click.command(cls=Stage)
@given("evaluation", *RUN_FILES, "model")
@RUN_TABLES
@made("output")
@threads_option
@device_option
def predict(evaluation: Path, model: Path, output: Path, threads: int, device: str | None, **inputs: Path) -> None:
    """Ground every node of every expression outside the training split."""
    from jvgn.evaluation.predict import predict as run
    from jvgn.settings.evaluation import EvaluationSettings
    from jvgn.training.run_files import Inputs

    right_above = EvaluationSettings.read(evaluation).iou_threshold
    run(Inputs(**inputs), model, output, right_above, prepared_device(device, threads))


@click.command(cls=Stage)
@given("evaluation", *RUN_FILES, "model", "settings", "proof", "predictions")
@RUN_TABLES
@made("output")
@click.option("--supporting", type=Given(), help="Annotations of supporting objects, where you brought some.")
@click.option("--name", nargs=3, required=True, help="Of the dataset, the setting and the run.")
def score(evaluation: Path, output: Path, name: tuple[str, str, str], **inputs: Path) -> None:
    """Say how good predictions are."""
    from jvgn.evaluation.score import RunName, Scored
    from jvgn.evaluation.score import score as run
    from jvgn.settings.evaluation import EvaluationSettings

    run(Scored(**inputs), RunName(*name), EvaluationSettings.read(evaluation).iou_threshold, output)


@click.command(cls=Stage)
@given("evaluation", *RUN_FILES, "model", "unmarginalised")
@RUN_TABLES
@made("output")
@threads_option
@device_option
def ablate(
    evaluation: Path, model: Path, unmarginalised: Path, output: Path, threads: int, device: str | None, **inputs: Path
) -> None:
    """Compare marginalisation in training and inference, on and off."""
    from jvgn.evaluation.ablation import Models
    from jvgn.evaluation.ablation import ablate as run
    from jvgn.settings.evaluation import EvaluationSettings
    from jvgn.training.run_files import Inputs

    right_above = EvaluationSettings.read(evaluation).iou_threshold
    run(Inputs(**inputs), Models(model, unmarginalised), output, right_above, prepared_device(device, threads))


@click.command(cls=Stage)
@made("output")
@click.option(
    "--run", type=(str, Given()), multiple=True, required=True, help="A run's name and the metrics of a seed."
)
def compare(output: Path, run: tuple[tuple[str, Path], ...]) -> None:
    """Set runs side by side, with mean and spread over their seeds."""
    from jvgn.evaluation.comparison import compare as table

    table(list(run), output)


@click.command(cls=Stage)
@given("nodes", "predictions")
@tables("images", "expressions")
@paths("images")
@made("output")
def examples(dataset: Path, nodes: Path, predictions: Path, images: Path, output: Path) -> None:
    """Draw what message passing changed."""
    from jvgn.views.examples import draw_examples

    draw_examples(dataset, nodes, predictions, images, output)


@click.command(cls=Stage)
@given("evaluation", *RUN_FILES, "model")
@RUN_TABLES
@paths("images")
@made("output")
@click.option("--title", required=True)
@threads_option
@device_option
def gallery(
    evaluation: Path,
    model: Path,
    images: Path,
    output: Path,
    title: str,
    threads: int,
    device: str | None,
    **inputs: Path,
) -> None:
    """Write groundings as one page to look at, before and after message passing."""
    from jvgn.settings.evaluation import EvaluationSettings
    from jvgn.training.run_files import Inputs
    from jvgn.views.gallery.writing import write_gallery

    right_above = EvaluationSettings.read(evaluation).iou_threshold
    write_gallery(Inputs(**inputs), model, images, output, title, right_above, prepared_device(device, threads))


STAGES = [
    freeze,
    world,
    read_dataset,
    build_vocabulary,
    sweep_vocabulary,
    train,
    predict,
    score,
    ablate,
    compare,
    examples,
    gallery,
]
