"""A trained model on disk.

`model.safetensors`: the weights under their parameter names; its metadata has one entry, `model`, a JSON object with
`format`, `feature_size`, `words` (the vocabulary) and `settings` (the run's). There is only one entry because
safetensors writes several in random order, and the same training must give the same bytes.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from pydantic import PositiveInt
from safetensors.torch import save_file

from jvgn.model import JVGN, GroundingModel, Sizes
from jvgn.settings.base import Frozen, validated
from jvgn.settings.run import RunSettings
from jvgn.storage.files import replacing
from jvgn.storage.tensor_files import fits, read_versioned
from parsers.errors import BrokenFile, UserError

FORMAT = "1"
WORD_VECTORS = "language.embedding.weight"
"""The name of the word vectors among the weights."""


RIVAL_CLASSES = {
    "bag_of_words": "BagOfWords",
    "mmi": "MMI",
    "mil": "MIL",
    "cmn": "CMN",
    "groundnet": "GroundNet",
    "ddpn": "DDPN",
    "nmtree": "NMTree",
    "listener": "Listener",
}
"""The class of each kind of model but the paper's."""


def rival(kind: str) -> Callable[[torch.Tensor, Sizes], GroundingModel]:
    """Return the class of a kind. Its module is found by name, so that no other training depends on its code."""
    return getattr(import_module(f"jvgn.rivals.{kind}"), RIVAL_CLASSES[kind])


def new_model(settings: RunSettings, vectors: np.ndarray, feature_size: int) -> GroundingModel:
    model: GroundingModel
    if settings.model.kind == "jvgn":
        model = JVGN(
            torch.from_numpy(vectors),
            feature_size=feature_size,
            spatial_size=settings.model.spatial_size,
            hidden_size=settings.model.hidden_size,
            layers=settings.model.layers,
            distinct=settings.model.distinct,
            dropout=settings.training.dropout,
            feature_dropout=settings.training.feature_dropout,
            rules=settings.potentials == "both",
            marginalise=settings.training.marginalise,
            contrast=settings.training.contrast,
        )
    else:
        sizes = Sizes(
            feature=feature_size,
            spatial=settings.model.spatial_size,
            hidden=settings.model.hidden_size,
            layers=settings.model.layers,
            dropout=settings.training.dropout,
            feature_dropout=settings.training.feature_dropout,
        )
        model = rival(settings.model.kind)(torch.from_numpy(vectors), sizes)
    with torch.no_grad():
        for value in model.position.parameters():
            value.mul_(settings.model.position_scale)
    return model


def save_model(path: Path, model: GroundingModel, settings: RunSettings, feature_size: int, words: list[str]) -> None:
    about = {
        "format": FORMAT,
        "feature_size": feature_size,
        "words": words,
        "settings": settings.model_dump(mode="json"),
    }
    weights = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    with replacing(path) as temporary:
        save_file(weights, temporary, {"model": json.dumps(about)})


class ModelMetadata(Frozen):
    format: Literal["1"]
    feature_size: PositiveInt
    words: tuple[str, ...]
    settings: RunSettings


@dataclass(frozen=True)
class TrainedModel:
    path: Path
    model: GroundingModel
    settings: RunSettings
    feature_size: int
    words: list[str]

    @property
    def jvgn(self) -> JVGN:
        """The model, if it is the paper's: only that has potentials."""
        if not isinstance(self.model, JVGN):
            kind = self.settings.model.kind
            raise UserError(f"{self.path}: is of model.kind {kind}, which cannot answer questions; name a run of jvgn")
        return self.model

    def check(self, feature_size: int, words: list[str]) -> None:
        """Check that regions and words are like those that the model was trained on."""
        self.check_features(feature_size)
        if words != self.words:
            raise UserError(
                f"{self.path}: trained with another vocabulary; use {self.settings.vocabulary}, or train again"
            )

    def check_features(self, feature_size: int) -> None:
        if feature_size != self.feature_size:
            raise UserError(
                f"{self.path}: trained on features of size {self.feature_size}, but the regions have {feature_size}; "
                f"extract regions with its detector ({self.settings.detector})"
            )


def load_model(path: Path, device: torch.device) -> TrainedModel:
    """Return the trained model, ready for inference."""
    if not path.exists():
        raise BrokenFile(path, "there is no such file", f"make it: snakemake --cores all {os.path.relpath(path)}")
    weights, about = read_versioned(path, "model", FORMAT)
    known = validated(ModelMetadata, about, f"{path}: metadata")
    if WORD_VECTORS not in weights or not fits(
        weights, lambda: new_model(known.settings, word_vectors(weights), known.feature_size)
    ):
        raise BrokenFile(path, "its weights do not fit its settings")
    if len(word_vectors(weights)) != len(known.words):
        raise BrokenFile(path, f"{len(known.words)} words have {len(word_vectors(weights))} vectors")
    model = new_model(known.settings, word_vectors(weights), known.feature_size).to(device)
    model.load_state_dict(weights)
    return TrainedModel(path, model.eval(), known.settings, known.feature_size, list(known.words))


def word_vectors(weights: dict[str, torch.Tensor]) -> np.ndarray:
    return weights[WORD_VECTORS].cpu().numpy()
