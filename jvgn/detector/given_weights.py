"""Takes over a detector that was trained elsewhere, with what is known of the images it saw."""

from pathlib import Path

from jvgn.detector.loading import load_source
from jvgn.detector.provenance import Provenance, read_image_ids, read_provenance, write_provenance
from jvgn.detector.weights import Stored, read_detector, write_detector
from jvgn.settings.detector import Detectron2Settings, TorchvisionSettings
from jvgn.storage.files import replacing, sha256
from parsers.errors import BrokenFile, UserError

LAYOUT = ("source", "backbone", "config", "anchor_sizes", "anchor_ratios")
"""Settings without which weights mean something else."""


def adopt_detector(
    settings: TorchvisionSettings | Detectron2Settings, weights: Path | str, provenance: Path | str
) -> None:
    """`weights` holds the given detector in our format, `provenance` what it was trained on, as far as is known."""
    if settings.weights is None:
        raise UserError("there are no given weights to take over; name them in the detector's `weights`")
    given = Path(settings.weights)
    if not given.is_file():
        raise UserError(f"{given}: there are no such weights; mend the detector's `weights`")
    saw_all_of = None
    if settings.source == "detectron2" and not is_ours(given):
        from jvgn.detector.detectron2 import read_given

        found = read_given(settings, str(given))
        state, categories, saw_all_of = found.state, found.categories, found.saw_all_of
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


def all_image_ids(told: str | None, known: Provenance | None) -> tuple[int, ...] | None:
    """The training images of the user's list and of the provenance; a list does not take back what is known."""
    lists = [] if told is None else [read_image_ids(told)]
    if known and known.training_image_ids is not None:
        lists.append(known.training_image_ids)
    return tuple(sorted(set().union(*lists))) if lists else None


def is_ours(path: Path) -> bool:
    """Is this a file of `jvgn.detector.weights`?"""
    if path.suffix != ".safetensors":
        return False
    try:
        read_detector(path)
    except BrokenFile:
        return False
    return True


def check_layout(stored: Stored, settings: TorchvisionSettings | Detectron2Settings) -> None:
    for key in LAYOUT:
        expected, found = settings.model_dump(mode="json").get(key), stored.settings.get(key)
        if expected != found:
            raise UserError(
                f"{stored.path}: these weights are of a detector with {key} {found}, and the settings say {expected}; "
                "make them agree"
            )


def check_fit(settings: TorchvisionSettings | Detectron2Settings, taken: Path, given: Path) -> None:
    """The detector can be built from what was taken over: it is refused here, rather than days later."""
    try:
        load_source(settings, taken)
    except BrokenFile as error:
        raise BrokenFile(given, "these weights do not fit the detector's settings", "make them agree") from error


def known_provenance(given: Path) -> Provenance | None:
    """The provenance that lies beside the given weights, if it speaks of them."""
    beside = given.with_name("provenance.json")
    if not beside.exists():
        return None
    found = read_provenance(beside)
    return found if found.weights_sha256 == sha256(given) else None
