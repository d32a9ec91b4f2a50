"""Detectors that were trained elsewhere: their weights in our format, and what is known about their training images."""

from pathlib import Path

from jvgn.detector.interface import load_source
from jvgn.detector.provenance import COCO_TRAIN2017, Provenance, read_image_ids, read_provenance, write_provenance
from jvgn.detector.weights import Stored, read_detector, write_detector
from jvgn.settings.detector import AnyNetwork
from jvgn.storage.files import replacing, sha256
from parsers.errors import BrokenFile, UserError

LAYOUT = ("source", "backbone", "config", "model", "anchor_sizes", "anchor_ratios")
"""Settings that change the meaning of the weights."""


def adopt_detector(settings: AnyNetwork, weights: Path | str, provenance: Path | str) -> None:
    """Write the given detector in our format to `weights`, and its training images, if known, to `provenance`."""
    if settings.weights is None:
        raise UserError("the detector has no given weights; name them in its `weights`")
    given = Path(settings.weights)
    if not given.is_file():
        raise UserError(f"{given}: no such file; fix the detector's `weights`")
    saw_all_of = None
    if settings.source == "detectron2" and not is_ours(given):
        from jvgn.detector.detectron2_backend import read_given

        found = read_given(settings, str(given))
        state, categories, saw_all_of = found.state, found.categories, found.saw_all_of
    elif settings.source == "torchvision-coco" and not is_ours(given):
        from jvgn.detector.torchvision_coco import coco_categories, read_published

        state, categories = read_published(settings, given), coco_categories(settings.model)
        saw_all_of = COCO_TRAIN2017
    else:
        stored = read_detector(given)
        check_layout(stored, settings)
        state, categories = stored.state, stored.categories
    with replacing(weights) as temporary:
        write_detector(temporary, state, settings, categories)
        check_fit(settings, temporary, given)
        weights_sha256 = sha256(temporary)
    known = known_provenance(given)
    made = Provenance(
        detector=known.detector if known else settings,
        seed=known.seed if known else settings.seed,
        categories=tuple(categories),
        training_image_ids=all_image_ids(settings.training_images, known),
        saw_all_of=known.saw_all_of if known else saw_all_of,
        weights_sha256=weights_sha256,
        pretrained_sha256=known.pretrained_sha256 if known else None,
        given_sha256=sha256(given),
        tables=known.tables if known else {},
        versions=known.versions if known else {},
    )
    write_provenance(provenance, made)


def all_image_ids(listed: str | None, known: Provenance | None) -> tuple[int, ...] | None:
    """Return the training images of the user's list and of the provenance; neither removes images of the other."""
    lists = [] if listed is None else [read_image_ids(listed)]
    if known and known.training_image_ids is not None:
        lists.append(known.training_image_ids)
    return tuple(sorted(set().union(*lists))) if lists else None


def is_ours(path: Path) -> bool:
    """Return whether the file has the format of `jvgn.detector.weights`."""
    if path.suffix != ".safetensors":
        return False
    try:
        read_detector(path)
    except BrokenFile:
        return False
    return True


def check_layout(stored: Stored, settings: AnyNetwork) -> None:
    for key in LAYOUT:
        expected, found = settings.model_dump(mode="json").get(key), stored.settings.get(key)
        if expected != found:
            raise UserError(
                f"{stored.path}: expected weights of a detector with {key} {expected}, found {found}; change one"
            )


def check_fit(settings: AnyNetwork, taken: Path, given: Path) -> None:
    """Build the detector from the new file, so that weights that do not fit are refused now and not days later."""
    try:
        load_source(settings, taken)
    except BrokenFile as error:
        raise BrokenFile(given, "the weights do not fit the detector's settings", "change one") from error


def known_provenance(given: Path) -> Provenance | None:
    """Return the provenance beside the given weights, if it is theirs."""
    beside = given.with_name("provenance.json")
    if not beside.exists():
        return None
    found = read_provenance(beside)
    return found if found.weights_sha256 == sha256(given) else None
