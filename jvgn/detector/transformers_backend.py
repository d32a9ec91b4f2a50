"""Pretrained detectors of the library transformers, by model name or folder. Only this module imports it.

`AutoModelForObjectDetection` finds the categories that a model was trained on (RT-DETR, DETR);
`AutoModelForZeroShotObjectDetection` finds anything that a phrase describes (Grounding DINO, OWLv2).
Shape suffixes: N regions, Q phrases, T tokens, H, W pixels.
"""

import inspect
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES,
    MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES,
)

from jvgn.detector.interface import NamedRegions, ScoredRegions
from jvgn.storage.files import first_line
from parsers.errors import UserError

INSTALL = "pip install transformers timm"
LOWEST_SCORE = 0.05
"""Regions of a closed vocabulary with a lower score are dropped."""
OTHER_NAMES = {
    "aeroplane": "airplane",
    "diningtable": "dining table",
    "motorbike": "motorcycle",
    "pottedplant": "potted plant",
    "sofa": "couch",
    "tvmonitor": "tv",
}
"""Names of COCO's categories that some models write differently."""
BY_TOKENS = ("grounding-dino", "mm-grounding-dino")
BY_PHRASES = ("owlv2", "owlvit")
"""Kinds of models that score each token of the text, and those that score each phrase."""


class ClosedTransformer:
    """A detector of the categories that it was trained on."""

    def __init__(self, name: str, processor: Any, model: Any, device: str | torch.device) -> None:
        self.name, self.processor, self.model, self.device = name, processor, model.eval().to(device), device

    @torch.inference_mode()
    def detect(self, pixels_HW3: np.ndarray) -> NamedRegions:
        inputs = self.processor(images=pixels_HW3, return_tensors="pt").to(self.device)
        (found,) = self.processor.post_process_object_detection(
            self.model(**inputs), threshold=LOWEST_SCORE, target_sizes=[pixels_HW3.shape[:2]]
        )
        written = [self.model.config.id2label[label] for label in found["labels"].tolist()]
        names = tuple(OTHER_NAMES.get(name, name) for name in written)
        return NamedRegions(found["boxes"].cpu().numpy(), names, found["scores"].cpu().numpy())


class OpenTransformer:
    """A detector of anything that a phrase describes."""

    def __init__(self, name: str, processor: Any, model: Any, device: str | torch.device) -> None:
        self.name, self.processor, self.model, self.device = name, processor, model.eval().to(device), device
        found = inspect.signature(processor.post_process_grounded_object_detection).parameters["threshold"]
        self.threshold = float(found.default)

    @torch.inference_mode()
    def search(self, pixels_HW3: np.ndarray, phrases: Sequence[str]) -> ScoredRegions:
        asked = [re.sub(r"[.?]", " ", phrase).strip().lower() for phrase in phrases]  # both end a phrase for the model
        more = {"truncation": True} if self.model.config.model_type in BY_PHRASES else {}
        inputs = self.processor(images=pixels_HW3, text=[asked], return_tensors="pt", **more).to(self.device)
        most = getattr(self.model.config, "max_text_len", None)
        if most is not None and inputs["input_ids"].shape[1] > most:
            raise UserError(f"the sentence has more words than {self.name} reads ({most} tokens); shorten it")
        outputs = self.model(**inputs)
        # No region is dropped, so the boxes are in the order of the logits.
        (found,) = self.processor.post_process_grounded_object_detection(
            outputs, threshold=-1.0, target_sizes=[pixels_HW3.shape[:2]]
        )
        score_NQ = outputs.logits[0].sigmoid()
        if self.model.config.model_type in BY_TOKENS:
            score_NQ = self.of_phrases(score_NQ, inputs["input_ids"][0], len(asked))
        return ScoredRegions(found["boxes"].cpu().numpy(), score_NQ.T.cpu().numpy())

    def of_phrases(self, score_NT: Tensor, token_T: Tensor, count: int) -> Tensor:
        """Return (N, Q): the score of each phrase, that of its best token. A phrase ends with a full stop."""
        special = set(self.processor.tokenizer.all_special_ids)
        stop, phrase = self.processor.tokenizer.convert_tokens_to_ids("."), 0
        score_NQ = score_NT.new_zeros(len(score_NT), count)
        for place, token in enumerate(token_T.tolist()):
            if token == stop:
                phrase += 1
            elif token not in special and phrase < count:
                score_NQ[:, phrase] = torch.maximum(score_NQ[:, phrase], score_NT[:, place])
        return score_NQ


def load_transformer(name: str, device: str | torch.device = "cpu") -> ClosedTransformer | OpenTransformer:
    """Load a detector from a folder, or by its name from the library's cache or the hub."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()  # of loading; that of a download stays
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with loading(name):
        kind = transformers.AutoConfig.from_pretrained(name).model_type
        if kind in (*BY_TOKENS, *BY_PHRASES):
            processor = transformers.AutoProcessor.from_pretrained(name)
            model = transformers.AutoModelForZeroShotObjectDetection.from_pretrained(name)
            return OpenTransformer(name, processor, model, device)
        if kind in MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES:
            processor = transformers.AutoImageProcessor.from_pretrained(name)
            return ClosedTransformer(
                name, processor, transformers.AutoModelForObjectDetection.from_pretrained(name), device
            )
    open_kinds = set(MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES)
    problem = "is not supported" if kind in open_kinds else "detects no objects"
    raise UserError(f"{name}: a model of kind {kind} {problem}; choose another, such as PekingU/rtdetr_r50vd")


@contextmanager
def loading(name: str) -> Iterator[None]:
    """Turn the library's exceptions about a model into one line. It wraps those of the network in an OSError."""
    try:
        yield
    except ImportError as error:
        raise UserError(f"{name}: needs another library ({first_line(error)}); run: {INSTALL}") from error
    except Exception as error:  # errors of transformers, its hub and torch have no common class
        if Path(name).is_dir():
            raise UserError(f"{name}: not the folder of a detector ({first_line(error)}); choose another") from error
        raise UserError(
            f"{name}: no such folder, and no model of this name could be downloaded ({first_line(error)}); check the"
            " spelling and the network, or give the folder of a downloaded model"
        ) from error
