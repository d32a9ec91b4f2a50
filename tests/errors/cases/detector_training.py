"""Mistakes that a detector's training, measure and proof meet."""

import pandas as pd

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.mistakes import (
    NOISE,
    Arrange,
    after,
    chosen,
    copied,
    deleted,
    folder_at,
    picture,
    rows,
    said,
    stopped,
    without_hashes,
    written,
)
from tests.errors.project import (
    DETECTOR,
    EXCLUDED,
    IMAGES,
    MEASURE_DETECTOR,
    PROVE_DETECTOR,
    RUN,
    SCORE,
    TRAIN_DETECTOR,
)

FIRST = f"{IMAGES}/shapes_000001.jpg"
PROVENANCE = f"{DETECTOR}/provenance.json"
NO_WEIGHTS = "…: not a readable file of weights; download it again"
ALL_IN_VAL = pd.DataFrame({"image_id": range(1, 6), "dataset": "shapes", "split": "val"})


def trained(**values: object) -> Arrange:
    """Trains with these settings."""
    return after(TRAIN_DETECTOR, chosen(f"{DETECTOR}/settings.yaml", **values))


def started_from(name: str, content: bytes) -> Arrange:
    """Trains from pretrained weights."""
    return after(TRAIN_DETECTOR, written(name, content), chosen(f"{DETECTOR}/settings.yaml", pretrained=name))


TRAINING = [
    Case("…: there are no such pretrained weights; mend the `pretrained` setting", trained(pretrained="none.pth")),
    Case(NO_WEIGHTS, started_from("given.pth", NOISE)),
    Case(NO_WEIGHTS, started_from("given.safetensors", NOISE)),
    Case(
        "…: not the weights of a …; choose others",
        after(
            TRAIN_DETECTOR,
            copied(f"{RUN}/model.safetensors", "given.safetensors"),
            chosen(f"{DETECTOR}/settings.yaml", pretrained="given.safetensors"),
        ),
    ),
    Case(
        "…: no image is left to train on once those in … are left out; add images that no dataset evaluates on",
        after(TRAIN_DETECTOR, rows(EXCLUDED, lambda _: ALL_IN_VAL)),
    ),
    Case(
        "the detector's loss is … at step …; try a lower learning_rate",
        trained(learning_rate=1e30, epochs=3, warm_up=0, batch_size=1),
    ),
    Case(
        "stopped by a signal after step …; run it again to go on from there",
        stopped(TRAIN_DETECTOR, "jvgn.detector.training.Training.learn"),
    ),
    Case("…: there is no such image; check its path", after(TRAIN_DETECTOR, deleted(FIRST))),
    Case(
        "…: not a readable image (…); give a whole JPEG or PNG file",
        after(TRAIN_DETECTOR, without_hashes, written(FIRST, NOISE)),
    ),
    Case(
        "…: expected … pixels, found …; fetch or draw it again",
        after(TRAIN_DETECTOR, without_hashes, written(FIRST, picture(30, 20))),
    ),
]
PROOFS = [
    Case(
        "…: no image of a val split was withheld, so nothing is left to measure on; check the splits of the datasets"
        " that it lists",
        after(MEASURE_DETECTOR, rows(EXCLUDED, lambda table: table[table["split"] != "val"])),
    ),
    Case(
        "…: the detector was trained on … evaluation images (…) of …; train another, or set evaluation.allow_leaking"
        " and live with the verdict",
        after(PROVE_DETECTOR, said(PROVENANCE, training_image_ids=[1, 2, 3])),
    ),
    Case(f"…: not a detector's provenance: …; {AGAIN}", after(PROVE_DETECTOR, written(PROVENANCE, "{}"))),
    Case(f"…: not a detector's provenance: …; {AGAIN}", after(PROVE_DETECTOR, written(PROVENANCE, NOISE))),
    Case("…: there is no such file; make it with the workflow", after(PROVE_DETECTOR, deleted(PROVENANCE))),
    Case(f"…: cannot be read (…); {AGAIN}", after(PROVE_DETECTOR, folder_at(PROVENANCE))),
    Case(f"…: not a readable proof; {AGAIN}", after(SCORE, written(f"{DETECTOR}/proof.json", "{}"))),
]
CASES = TRAINING + PROOFS
