"""A trained model on disk, and the state from which an interrupted training goes on.

`model.safetensors`: the weights under their parameter names; its metadata has one entry, `model`, a JSON object with
`format`, `feature_size`, `words` (the vocabulary) and `settings` (the run's). One entry, because safetensors writes
several in no fixed order, and the same training must give the same bytes.

The training state is a `torch.save` file of plain tensors and numbers, read with `weights_only=True`; it carries a
fingerprint of everything it depends on and is ignored under another one.
"""

import json
import logging
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from jvgn.model import JVGN
from jvgn.settings.base import validated
from jvgn.settings.run import RunSettings
from parsers.files import BrokenFile, replacing

log = logging.getLogger(__name__)

FORMAT = "1"


def new_model(settings: RunSettings, vectors: np.ndarray, feature_size: int) -> JVGN:
    return JVGN(
        torch.from_numpy(vectors),
        feature_size=feature_size,
        spatial_size=settings.model.spatial_size,
        hidden_size=settings.model.hidden_size,
        layers=settings.model.layers,
        word_dropout=settings.training.word_dropout,
    )


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


@dataclass(frozen=True)
class TrainedModel:
    model: JVGN
    settings: RunSettings
    feature_size: int
    words: list[str]


def load_model(path: Path, device: torch.device) -> TrainedModel:
    """The model as it was trained, ready to ground."""
    if not path.exists():
        raise BrokenFile(path, "there is no such file", "train the run with the workflow")
    try:
        with safe_open(path, framework="pt", device=str(device)) as file:
            about = json.loads((file.metadata() or {}).get("model", "{}"))
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (OSError, SafetensorError) as error:
        raise BrokenFile(path, f"not a readable model ({error})") from error
    if about.get("format") != FORMAT:
        raise BrokenFile(path, f"expected a model of format version {FORMAT}, found {about.get('format', 'none')}")
    settings = validated(RunSettings, about["settings"], f"{path}: settings")
    vectors = weights["language.embedding.weight"].cpu().numpy()
    model = new_model(settings, vectors, about["feature_size"]).to(device)
    model.load_state_dict(weights)
    return TrainedModel(model.eval(), settings, about["feature_size"], about["words"])


def save_state(path: Path, fingerprint: str, state: dict[str, Any]) -> None:
    with replacing(path) as temporary:
        torch.save({"fingerprint": fingerprint, **state}, temporary)


def load_state(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """The state saved at `path` by the same training, or None: there is none, or it belongs to another one."""
    if not path.exists():
        return None
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        log.warning("%s cannot be read (%s): training starts anew", path, error)
        return None
    if state.get("fingerprint") != fingerprint:
        log.info("%s belongs to other settings or inputs: training starts anew", path)
        return None
    return state
