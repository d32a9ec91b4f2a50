"""The stages on the command line: each command hands files to one stage, imported when it is asked for."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from parsers.files import UserError

FILE = click.Path(path_type=Path)
SETTINGS = {
    "world": "WorldSettings",
    "detector": "DetectorFile",
    "regions": "RegionSettings",
    "parser": "ParserSettings",
    "vocabulary": "VocabularySettings",
    "run": "RunSettings",
    "evaluation": "EvaluationSettings",
}
"""For each module of `jvgn.settings` that a stage reads, its model."""


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


def processes_option(command: Callable) -> Callable:
    help = "One for each GPU; several are started by torchrun."
    return click.option("--processes", type=click.IntRange(min=0), default=1, show_default=True, help=help)(command)


def own_threads(threads: int) -> int:
    """The processes that torchrun starts on a machine share its threads."""
    return max(1, threads // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def prepared_device(device: str | None, threads: int) -> Any:
    import torch

    torch.set_num_threads(own_threads(threads))
    name = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda":  # torchrun's processes have a GPU each
        name = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    try:
        chosen = torch.device(name)
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise UserError(
            f"--device {name}: not to be had on this machine; say cpu, or as many --processes as there are GPUs"
        ) from error
    return chosen


@click.command()
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


@click.command()
@files("settings", "folder")
@threads_option
def world(settings: Path, folder: Path, threads: int) -> None:
    """Draw the world `shapes` in REFER's format."""
    from jvgn.settings.world import WorldSettings
    from jvgn.shapes.world import make_world

    make_world(WorldSettings.read(settings), folder, threads)


@click.command()
@files("refs", "instances", "output")
def read_dataset(refs: Path, instances: Path, output: Path) -> None:
    """Read a dataset in REFER's format into four tables."""
    from jvgn.datasets.refer import read_dataset as read

    read(refs, instances, output)


@click.command()
@files("instances", "output")
def read_training_set(instances: Path, output: Path) -> None:
    """Read COCO's annotations, for detectors to learn from, into two tables."""
    from jvgn.datasets.refer import read_training_set as read

    read(instances, output)


@click.command()
@files("output")
@click.argument("expressions", type=FILE, nargs=-1, required=True)
def exclude_images(output: Path, expressions: tuple[Path, ...]) -> None:
    """List the images that EXPRESSIONS evaluate on: no detector may learn from them."""
    from jvgn.regions.exclusion import exclude_images as exclude

    exclude(expressions, output)


@click.command()
@click.argument("backbone", type=click.Choice(["resnet101", "vgg16"]))
@click.argument("output", type=FILE)
def fetch_weights(backbone: str, output: Path) -> None:
    """Download the ImageNet weights that a detector starts from."""
    from jvgn.regions.fetching import fetch_weights as fetch

    fetch(backbone, output)


@click.command()
@files("settings", "dataset", "excluded", "images", "weights", "provenance")
@processes_option
@threads_option
@device_option
def train_detector(
    settings: Path,
    dataset: Path,
    excluded: Path,
    images: Path,
    weights: Path,
    provenance: Path,
    processes: int,
    threads: int,
    device: str | None,
) -> None:
    """Train a Faster R-CNN on the images of DATASET that are not EXCLUDED."""
    from jvgn.processes import start_processes
    from jvgn.regions.training import train_detector as train
    from jvgn.settings.detector import read_network_settings

    start_processes(processes)
    train(
        read_network_settings(settings),
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        excluded=excluded,
        folder=images,
        weights=weights,
        provenance=provenance,
        device=prepared_device(device, threads),
        threads=own_threads(threads),
    )


@click.command()
@files("settings", "weights", "provenance")
def adopt_detector(settings: Path, weights: Path, provenance: Path) -> None:
    """Take over a detector that was trained elsewhere: the `weights` in its settings."""
    from jvgn.regions.adoption import adopt_detector as adopt
    from jvgn.settings.detector import read_network_settings

    adopt(read_network_settings(settings), weights, provenance)


@click.command()
@files("evaluation", "settings", "dataset", "excluded", "images", "weights", "output")
@threads_option
@device_option
def measure_detector(
    evaluation: Path,
    settings: Path,
    dataset: Path,
    excluded: Path,
    images: Path,
    weights: Path,
    output: Path,
    threads: int,
    device: str | None,
) -> None:
    """Measure COCO's average precision on val images that were withheld from a detector."""
    from jvgn.regions.average_precision import measure_detector as measure
    from jvgn.settings.detector import read_network_settings
    from jvgn.settings.evaluation import EvaluationSettings

    measure(
        read_network_settings(settings),
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        excluded=excluded,
        folder=images,
        weights=weights,
        output=output,
        held_out_images=EvaluationSettings.read(evaluation).held_out,
        device=prepared_device(device, threads),
        threads=threads,
    )


@click.command()
@files("evaluation", "provenance", "output")
@click.argument("expressions", type=FILE, nargs=-1, required=True)
def prove_detector(evaluation: Path, provenance: Path, output: Path, expressions: tuple[Path, ...]) -> None:
    """Prove that a detector saw no image that EXPRESSIONS evaluate on."""
    from jvgn.regions.proof import prove_disjoint
    from jvgn.settings.evaluation import EvaluationSettings

    prove_disjoint(provenance, expressions, output, EvaluationSettings.read(evaluation).allow_leaking)


@click.command()
@click.argument("setting", type=click.Choice(["gt", "det"]))
@files("settings", "detector", "dataset", "images", "weights", "provenance", "output")
@click.option("--name", nargs=2, required=True, help="The dataset's and the detector's.")
@click.option("--shard", default="1-of-1", show_default=True, help="Which part of the images.")
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
    shard: str,
    threads: int,
    device: str | None,
) -> None:
    """Write the regions of all images: those of the annotations (gt) or detected ones (det)."""
    from jvgn.regions.extraction import extract_regions as extract
    from jvgn.regions.shards import Shard
    from jvgn.settings.detector import read_detector_settings
    from jvgn.settings.regions import RegionSettings

    extract(
        RegionSettings.read(settings),
        "gt" if setting == "gt" else "det",
        detector=read_detector_settings(detector),
        name=name[1],
        dataset=name[0],
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        folder=images,
        weights=weights,
        provenance=provenance,
        output=output,
        shard=Shard.parse(shard),
        device=prepared_device(device, threads),
        threads=threads,
    )


@click.command()
@click.argument("setting", type=click.Choice(["gt", "det"]))
@files("settings", "detector", "dataset", "output")
@click.option("--name", nargs=2, required=True, help="The dataset's and the detector's.")
def import_regions(
    setting: str, settings: Path, detector: Path, dataset: Path, output: Path, name: tuple[str, str]
) -> None:
    """Write precomputed regions of all images, checked against the dataset."""
    from jvgn.regions.importing import import_regions as run
    from jvgn.settings.detector import PrecomputedSettings
    from jvgn.settings.regions import RegionSettings

    run(
        RegionSettings.read(settings),
        "gt" if setting == "gt" else "det",
        detector=PrecomputedSettings.read(detector),
        name=name[1],
        dataset=name[0],
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        output=output,
    )


@click.command()
@files("settings", "provenance")
def declare_detector(settings: Path, provenance: Path) -> None:
    """Write down what is known of the detector behind precomputed features."""
    from jvgn.regions.importing import declare_detector as declare
    from jvgn.settings.detector import PrecomputedSettings

    declare(PrecomputedSettings.read(settings), provenance)


@click.command()
@click.argument("shards", type=FILE, nargs=-1, required=True)
@files("output", "skipped")
def merge_regions(shards: tuple[Path, ...], output: Path, skipped: Path) -> None:
    """Join the SHARDS of an extraction, and list what they left out."""
    from jvgn.regions.shards import merge_regions as merge

    merge(shards, output, skipped)


@click.command()
@files("evaluation", "dataset", "regions", "output")
def measure_recall(evaluation: Path, dataset: Path, regions: Path, output: Path) -> None:
    """Say how many referents of each split some region covers."""
    from jvgn.regions.recall import measure_recall as measure
    from jvgn.settings.evaluation import EvaluationSettings

    measure(dataset, regions, EvaluationSettings.read(evaluation).iou_threshold, output)


@click.command()
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


@click.command()
@files("settings", *RUN_INPUTS, "model", "history")
@click.option("--tensorboard", type=FILE, help="Also write TensorBoard's logs into this folder.")
@processes_option
@threads_option
@device_option
def train(
    settings: Path,
    model: Path,
    history: Path,
    tensorboard: Path | None,
    processes: int,
    threads: int,
    device: str | None,
    **inputs: Path,
) -> None:
    """Train a run. Under torchrun, its processes train together."""
    from jvgn.inputs import Inputs
    from jvgn.processes import start_processes
    from jvgn.settings.run import RunSettings
    from jvgn.training import train as run

    start_processes(processes)
    run(Inputs(**inputs), RunSettings.read(settings), model, history, prepared_device(device, threads), tensorboard)


@click.command()
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


@click.command()
@files("evaluation", *RUN_INPUTS, "model", "settings", "proof", "predictions", "output")
@click.option("--name", nargs=3, required=True, help="Of the dataset, the setting and the run.")
def score(evaluation: Path, output: Path, name: tuple[str, str, str], **inputs: Path) -> None:
    """Say how good predictions are."""
    from jvgn.evaluation import RunName, Scored
    from jvgn.evaluation import score as run
    from jvgn.settings.evaluation import EvaluationSettings

    run(Scored(**inputs), RunName(*name), EvaluationSettings.read(evaluation).iou_threshold, output)


@click.command()
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


@click.command()
@files("output")
@click.option("--run", type=(str, FILE), multiple=True, required=True, help="A run's name and the metrics of a seed.")
def compare(output: Path, run: tuple[tuple[str, Path], ...]) -> None:
    """Set runs side by side, with mean and spread over their seeds."""
    from jvgn.comparison import compare as table

    table(list(run), output)


@click.command()
@files("dataset", "nodes", "predictions", "images", "output")
def examples(dataset: Path, nodes: Path, predictions: Path, images: Path, output: Path) -> None:
    """Draw what message passing changed."""
    from jvgn.figures import draw_examples

    draw_examples(dataset, nodes, predictions, images, output)


@click.command()
@files("evaluation", *RUN_INPUTS, "model", "images", "output")
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
    from jvgn.gallery.writing import write_gallery
    from jvgn.inputs import Inputs
    from jvgn.settings.evaluation import EvaluationSettings

    right_above = EvaluationSettings.read(evaluation).iou_threshold
    write_gallery(Inputs(**inputs), model, images, output, title, right_above, prepared_device(device, threads))


STAGES = [
    freeze,
    world,
    read_dataset,
    read_training_set,
    exclude_images,
    fetch_weights,
    train_detector,
    adopt_detector,
    measure_detector,
    prove_detector,
    declare_detector,
    extract_regions,
    import_regions,
    merge_regions,
    measure_recall,
    build_vocabulary,
    train,
    predict,
    score,
    ablate,
    compare,
    examples,
    gallery,
]
