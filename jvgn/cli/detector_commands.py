"""Commands of detectors and regions. Each hands files to one stage, which is imported when the command runs."""

from pathlib import Path

import click

from jvgn.cli.options import (
    device_option,
    given,
    made,
    made_tables,
    own_threads,
    paths,
    prepared_device,
    tables,
    tensorboard_option,
    threads_option,
    training_options,
)
from jvgn.storage.stage_command import Foreign, Given, Joining, Stage, reads
from parsers.errors import UserError

SETTING = click.argument("setting", type=click.Choice(["gt", "det"]))
NAME = click.option("--name", nargs=2, required=True, help="Names of the dataset and the detector.")


@click.command(cls=Stage)
@click.option(
    "--part",
    "parts",
    type=(str, Given()),
    multiple=True,
    required=True,
    metavar="FOLDER FILE",
    help="Annotations, and the folder of their images within that of all images (`.`: the same). May be repeated.",
)
@made_tables("images", "objects")
def read_training_set(parts: tuple[tuple[str, Path], ...], output: Path) -> None:
    """Read COCO's annotations, to train detectors on, into two tables."""
    from jvgn.datasets.coco import read_training_set as read

    read(parts, output)


@click.command(cls=Stage)
@made("output")
@click.argument("expressions", type=Given(), nargs=-1, required=True)
def exclude_images(output: Path, expressions: tuple[Path, ...]) -> None:
    """List the images that EXPRESSIONS evaluate on, which no detector may be trained on."""
    from jvgn.detector.provenance import exclude_images as exclude

    exclude(expressions, output)


@click.command(cls=Stage)
@given("settings", "excluded")
@tables("images", "objects")
@paths("images")
@made("weights", "provenance", "losses")
@tensorboard_option
@training_options
def train_detector(
    settings: Path,
    dataset: Path,
    images: Path,
    processes: int,
    machines: int,
    threads: int,
    device: str | None,
    tensorboard: Path | None,
    **files: Path,
) -> None:
    """Train a Faster R-CNN on the images of DATASET that are not EXCLUDED."""
    from jvgn.detector.training import train_detector as train
    from jvgn.runtime.distributed import start_processes
    from jvgn.settings.detector import read_network_settings

    start_processes(processes, machines, threads)
    chosen = read_network_settings(settings)
    if chosen.source == "torchvision-coco":
        raise UserError(f"{settings}: a detector of source torchvision-coco is not trained; use adopt-detector")
    reads(chosen.pretrained)
    train(
        chosen,
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        folder=images,
        tensorboard=tensorboard,
        device=prepared_device(device, threads),
        threads=own_threads(threads),
        **files,
    )


@click.command(cls=Stage)
@given("settings")
@made("weights", "provenance")
def adopt_detector(settings: Path, weights: Path, provenance: Path) -> None:
    """Use a detector that was trained elsewhere: the `weights` in its settings."""
    from jvgn.detector.given_weights import adopt_detector as adopt
    from jvgn.settings.detector import read_network_settings

    chosen = read_network_settings(settings)
    reads(chosen.weights, chosen.training_images)
    adopt(chosen, weights, provenance)


@click.command(cls=Stage)
@given("evaluation", "settings", "excluded", "weights")
@tables("images", "objects")
@paths("images")
@made("output")
@threads_option
@device_option
def measure_detector(
    evaluation: Path, settings: Path, dataset: Path, images: Path, threads: int, device: str | None, **files: Path
) -> None:
    """Measure COCO's average precision on val images that were withheld from a detector."""
    from jvgn.detector.average_precision import measure_detector as measure
    from jvgn.settings.detector import read_network_settings
    from jvgn.settings.evaluation import EvaluationSettings

    measure(
        read_network_settings(settings),
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        folder=images,
        held_out_images=EvaluationSettings.read(evaluation).held_out,
        device=prepared_device(device, threads),
        threads=threads,
        **files,
    )


@click.command(cls=Stage)
@given("evaluation", "provenance")
@made("output")
@click.argument("expressions", type=Given(), nargs=-1, required=True)
def prove_detector(evaluation: Path, provenance: Path, output: Path, expressions: tuple[Path, ...]) -> None:
    """Prove that a detector was not trained on images that EXPRESSIONS evaluate on."""
    from jvgn.detector.leakage_proof import prove_disjoint
    from jvgn.settings.evaluation import EvaluationSettings

    prove_disjoint(provenance, expressions, output, EvaluationSettings.read(evaluation).allow_leaking)


@click.command(cls=Stage)
@SETTING
@given("settings", "detector")
@tables("images", "objects")
@paths("weights", "provenance", kind=Foreign())  # the detector may be trained on another dataset
@paths("images")
@made("output")
@NAME
@click.option("--shard", default="1-of-1", show_default=True, help="The part of the images to extract.")
@threads_option
@device_option
def extract_regions(
    setting: str,
    settings: Path,
    detector: Path,
    dataset: Path,
    images: Path,
    name: tuple[str, str],
    shard: str,
    threads: int,
    device: str | None,
    **files: Path,
) -> None:
    """Write the regions of all images: annotated (gt) or detected (det) ones."""
    from jvgn.regions.extraction import extract_regions as extract
    from jvgn.regions.shards import RegionShard
    from jvgn.settings.detector import RegionSettings, read_detector_settings

    extract(
        RegionSettings.read(settings),
        "gt" if setting == "gt" else "det",
        detector=read_detector_settings(detector),
        name=name[1],
        dataset=name[0],
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        folder=images,
        shard=RegionShard.parse(shard),
        device=prepared_device(device, threads),
        threads=threads,
        **files,
    )


@click.command(cls=Stage)
@SETTING
@given("settings", "detector")
@tables("images", "objects")
@made("output")
@NAME
def import_regions(
    setting: str, settings: Path, detector: Path, dataset: Path, output: Path, name: tuple[str, str]
) -> None:
    """Write precomputed regions of all images, checked against the dataset."""
    from jvgn.regions.precomputed import import_regions as run
    from jvgn.settings.detector import PrecomputedSettings, RegionSettings

    chosen = PrecomputedSettings.read(detector)
    reads(chosen.objects if setting == "gt" else chosen.detections)
    run(
        RegionSettings.read(settings),
        "gt" if setting == "gt" else "det",
        detector=chosen,
        name=name[1],
        dataset=name[0],
        images=dataset / "images.parquet",
        objects=dataset / "objects.parquet",
        output=output,
    )


@click.command(cls=Stage)
@given("settings")
@made("provenance")
def declare_detector(settings: Path, provenance: Path) -> None:
    """Write the provenance of the detector behind precomputed features."""
    from jvgn.regions.precomputed import declare_detector as declare
    from jvgn.settings.detector import PrecomputedSettings

    chosen = PrecomputedSettings.read(settings)
    reads(chosen.training_images)
    declare(chosen, provenance)


@click.command(cls=Joining)
@click.argument("shards", type=Given(), nargs=-1, required=True)
@made("output", "skipped")
def merge_regions(shards: tuple[Path, ...], output: Path, skipped: Path) -> None:
    """Join the SHARDS of an extraction, and list the images and objects that they skipped."""
    from jvgn.regions.shards import merge_regions as merge

    merge(shards, output, skipped)


@click.command(cls=Stage)
@given("evaluation", "regions")
@tables("objects", "expressions")
@made("output")
def measure_recall(evaluation: Path, dataset: Path, regions: Path, output: Path) -> None:
    """Measure how many referents of each split some region covers."""
    from jvgn.regions.recall import measure_recall as measure
    from jvgn.settings.evaluation import EvaluationSettings

    measure(dataset, regions, EvaluationSettings.read(evaluation).iou_threshold, output)
