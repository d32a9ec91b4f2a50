"""Mistakes that a training meets, and models that do not belong to what they are given."""

from typing import Any

import numpy as np

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.mistakes import (
    NOISE,
    Arrange,
    after,
    chosen,
    copied,
    deleted,
    features_cut,
    last_renumbered,
    regions,
    rows,
    stopped,
    tensors,
    written,
)
from tests.errors.project import ABLATE, DETECTOR, EXPRESSIONS, GALLERY, PREDICT, REGIONS, RUN, TRAIN, WORDS

MODEL = f"{RUN}/model.safetensors"
NO_SPLIT = "…: has no split to evaluate on, only train; check its splits"
FAILED = "…: its beliefs are not numbers, so its training failed; train it again"
only_train = rows(EXPRESSIONS, lambda table: table.assign(split="train"))


def trained(**training: Any) -> Arrange:
    """Trains with these settings."""
    return after(TRAIN, chosen(f"{RUN}/settings.yaml", training=training))


def bare_image(file: Any) -> None:
    """The first image's regions are counted to the second."""
    file["offset"][1] = 0


def unknown_objects(file: Any) -> None:
    file["object_id"][:] = -1


def wider(held: dict[str, Any], about: dict[str, Any]) -> None:
    about["settings"]["model"]["hidden_size"] = 5


def not_numbers(held: dict[str, Any], about: dict[str, Any]) -> None:
    held["language.embedding.weight"].fill_(np.nan)


TRAINING = [
    Case("…: has no expressions in split …; training needs train and val", after(TRAIN, only_train)),
    Case("…: image … of … has no regions; extract them again", after(TRAIN, regions(REGIONS, last_renumbered))),
    Case("…: image … has no region; extract them again", after(TRAIN, regions(REGIONS, bare_image))),
    Case(
        "…: no region fits the referent of any training expression; check the regions and their dataset",
        after(TRAIN, regions(REGIONS, unknown_objects)),
    ),
    Case(
        "the loss is not finite in epoch …, step … (expressions …); the state before it is in …; lower learning_rate"
        " or set gradient_norm",
        trained(learning_rate=1e30, epochs=3),
    ),
    Case(
        "stopped by a signal in epoch … after step …; run it again to go on from there",
        stopped(TRAIN, "jvgn.training.trainer.Trainer.learn"),
    ),
]
MODELS = [
    Case("…: there is no such file; make it: snakemake --cores all …", after(PREDICT, deleted(MODEL))),
    Case(f"…: not a readable model (…); {AGAIN}", after(PREDICT, written(MODEL, NOISE))),
    Case(
        f"…: expected a model of format version …, found …; {AGAIN}",
        after(PREDICT, copied(f"{DETECTOR}/weights.safetensors", MODEL)),
    ),
    Case(f"…: its weights do not fit its settings; {AGAIN}", after(PREDICT, tensors(MODEL, wider))),
    Case(
        f"…: its weights do not fit its settings; {AGAIN}",
        after(PREDICT, tensors(MODEL, lambda held, about: held.pop("language.embedding.weight"))),
    ),
    Case(
        "…: trained with another vocabulary; use …, or train again",
        after(PREDICT, rows(WORDS, lambda table: table[:-1])),
    ),
    Case(
        "…: trained on features of size …, but the regions have …; extract regions with its detector (…)",
        after(PREDICT, regions(REGIONS, features_cut)),
    ),
    Case(NO_SPLIT, after(PREDICT, only_train)),
    Case(NO_SPLIT, after(GALLERY, only_train)),
    Case(
        "…: expected the run of … but for training.marginalise: false; give the model of the run unmarginalised",
        after(f"{ABLATE} --unmarginalised {MODEL}"),
    ),
    Case(FAILED, after(GALLERY, tensors(MODEL, not_numbers))),
    Case(FAILED, after(f"show {RUN} 5", tensors(MODEL, not_numbers))),
]
CASES = TRAINING + MODELS
