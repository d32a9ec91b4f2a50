"""Mistakes in detectors that are given, and in what is known of the images they saw; weights that are not theirs."""

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.mistakes import NOISE, Arrange, Mistake, after, chosen, copied, deleted, tensors, written
from tests.errors.project import DETECTOR, EXTRACT, MEASURE_DETECTOR, RUN, TINY

WEIGHTS = f"{DETECTOR}/weights.safetensors"
ADOPT = "adopt-detector --settings given.yaml --weights weights.safetensors --provenance provenance.json"
DECLARE = "declare-detector --settings given.yaml --provenance provenance.json"
PRECOMPUTED = {"source": "precomputed", "format": "npz", "objects": "features"}
NO_LIST = "…: cannot be read (…); mend the detector's `training_images`"
NO_ID = "…: expected an image id a line, found …; mend the file"


def adopted(*mistakes: Mistake, **values: object) -> Arrange:
    """Takes over the project's detector by settings with these values."""
    given = copied(WEIGHTS, "given.safetensors")
    return after(ADOPT, given, chosen("given.yaml", **{**TINY, "weights": "given.safetensors"} | values), *mistakes)


def declared(content: str | bytes) -> Arrange:
    """Declares a detector by a list of its images."""
    settings = chosen("given.yaml", **PRECOMPUTED, training_images="ids.txt")
    return after(DECLARE, settings, written("ids.txt", content))


GIVEN = [
    Case(
        "there are no given weights to take over; name them in the detector's `weights`",
        adopted(weights=None),
    ),
    Case("…: there are no such weights; mend the detector's `weights`", adopted(weights="none.safetensors")),
    Case(
        "…: these weights are of a detector with … …, and the settings say …; make them agree",
        adopted(anchor_sizes=[16, 32]),
    ),
    Case(
        "…: these weights do not fit the detector's settings; make them agree",
        adopted(tensors("given.safetensors", lambda held, about: held.popitem())),
    ),
    Case(
        "…: named twice; give every file a name of its own",
        adopted(copied(WEIGHTS, "weights.safetensors"), weights="weights.safetensors"),
    ),
    Case(NO_LIST, adopted(training_images="none.txt")),
    Case(NO_LIST, declared(NOISE)),
    Case(NO_ID, declared("1\ntwo.jpg\n")),
]
WEIGHTS_OF_OTHERS = [
    Case("…: there is no such file; make it with the workflow", after(MEASURE_DETECTOR, deleted(WEIGHTS))),
    Case(f"…: not a readable safetensors file (…); {AGAIN}", after(MEASURE_DETECTOR, written(WEIGHTS, NOISE))),
    Case(
        f"…: expected a detector of format version …, found …; {AGAIN}",
        after(MEASURE_DETECTOR, copied(f"{RUN}/model.safetensors", WEIGHTS)),
    ),
    Case(
        f"…: not the weights of a … detector; {AGAIN}",
        after(MEASURE_DETECTOR, tensors(WEIGHTS, lambda held, about: held.popitem())),
    ),
    Case(
        "…: expected a detector with … …, found …; train it again",
        after(EXTRACT, chosen(f"{DETECTOR}/settings.yaml", long_side=120)),
    ),
    Case(
        "…: its SHA-256 is …, but … speaks of …; train the detector again",
        after(EXTRACT, tensors(WEIGHTS, lambda held, about: next(iter(held.values())).add_(1))),
    ),
    Case(
        "…: features of source … are imported, and no image can be looked at anew; choose another detector",
        after(EXTRACT, written(f"{DETECTOR}/settings.yaml", "{source: precomputed, format: npz, objects: features}")),
    ),
]
CASES = GIVEN + WEIGHTS_OF_OTHERS
