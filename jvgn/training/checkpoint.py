"""A trained model on disk.

`model.safetensors`: the weights under their parameter names; its metadata has one entry, `model`, a JSON object with
`format`, `feature_size`, `words` (the vocabulary) and `settings` (the run's). There is only one entry because
safetensors writes several in random order, and the same training must give the same bytes.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from pydantic import PositiveInt
from safetensors.torch import save_file

from jvgn.model import JVGN
from jvgn.settings.base import Frozen, validated
from jvgn.settings.run import RunSettings
from jvgn.storage.files import replacing
from jvgn.storage.tensor_files import fits, read_versioned
from parsers.errors import BrokenFile, UserError

FORMAT = "1"
WORD_VECTORS = "language.embedding.weight"
"""The name of the word vectors among the weights."""


def new_model(settings: RunSettings, vectors: np.ndarray, feature_size: int) -> JVGN:
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
    )
    with torch.no_grad():
        for value in model.position.parameters():
            value.mul_(settings.model.position_scale)
    return model


def save_model(path: Path, model: JVGN, settings: RunSettings, feature_size: int, words: list[str]) -> None:
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
    model: JVGN
    settings: RunSettings
    feature_size: int
    words: list[str]

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
