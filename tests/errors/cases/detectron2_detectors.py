"""Detectors of detectron2's: the library, its configurations, and weights that are not theirs."""

import io
import pickle
import sys
from importlib.util import find_spec
from typing import Any

import torch
import yaml

from tests.errors.case import Bench, Case
from tests.errors.detectron2_stand_in import modules
from tests.errors.mistakes import NOISE, Arrange, Mistake, after, tensors, written
from tests.errors.project import DETECTOR, EXTRACT, TRAIN_DETECTOR

SETTINGS = f"{DETECTOR}/settings.yaml"
R101 = "COCO-Detection/faster_rcnn_R_101_C4_3x.yaml"
ADOPT = f"adopt-detector --settings {SETTINGS} --weights weights.safetensors --provenance provenance.json"
OURS = "jvgn.detector.detectron2"


def detectron2(command: str, *mistakes: Mistake, **values: Any) -> Arrange:
    """A command on a detector of detectron2's, or of what stands in for it."""

    def arrange(bench: Bench) -> list[Any]:
        if find_spec("detectron2") is None:
            for name, module in modules(bench.folder / "detectron2").items():
                bench.patch.setitem(sys.modules, name, module)
            bench.patch.setitem(sys.modules, OURS, None)
            del sys.modules[OURS]  # imported anew, and forgotten when the case is over
        return after(command, configured(**values), *mistakes)(bench)

    return arrange


def configured(**values: Any) -> Mistake:
    return written(SETTINGS, yaml.safe_dump({"source": "detectron2", "config": R101} | values))


def without_detectron2(bench: Bench) -> list[Any]:
    bench.patch.setitem(sys.modules, "detectron2", None)
    bench.patch.delitem(sys.modules, OURS, raising=False)
    return after(TRAIN_DETECTOR, configured())(bench)


def saved(content: Any) -> bytes:
    """As torch saves it."""
    file = io.BytesIO()
    torch.save(content, file)
    return file.getvalue()


def given(name: str, content: bytes) -> Arrange:
    """Takes over the weights in a file."""
    return detectron2(ADOPT, written(name, content), weights=name)


def of_detectron2(held: dict[str, Any], about: dict[str, Any]) -> None:
    about["settings"] = {"source": "detectron2", "config": R101}


SOMETHING = saved({"model": {"something": torch.zeros(1)}})
CASES = [
    Case(
        "a detector of source detectron2 needs the library detectron2 (…): conda install --channel conda-forge"
        " detectron2, or choose source torchvision",
        without_detectron2,
    ),
    Case(
        "…: neither a file nor a configuration of detectron2's model zoo; mend `config`",
        detectron2(TRAIN_DETECTOR, config="COCO-Detection/none.yaml"),
    ),
    Case(
        "…: not a configuration of detectron2's (…); mend `config`",
        detectron2(TRAIN_DETECTOR, written("mine.yaml", "{MODEL: {BACKBONES: 1}}"), config="mine.yaml"),
    ),
    Case(
        "expected a Faster R-CNN, found … as its box head; choose another `config`",
        detectron2(TRAIN_DETECTOR, config="Misc/cascade_mask_rcnn_R_50_FPN_1x.yaml"),
    ),
    Case(
        "…: not the weights of …'s backbone; choose others",
        detectron2(TRAIN_DETECTOR, written("given.pth", SOMETHING), pretrained="given.pth"),
    ),
    Case("…: not a readable file of weights; download it again", given("given.pth", NOISE)),
    Case(
        "…: refused as a pickle: …; get the file again from a source you trust",
        given("given.pkl", pickle.dumps(print)),
    ),
    Case("…: holds no weights (…); choose others", given("given.pth", saved([1]))),
    Case("…: not a … for COCO's … categories: it lacks …; choose others", given("given.pth", SOMETHING)),
    Case(
        "…: not the weights of a …; delete it and run the workflow again",
        detectron2(EXTRACT, tensors(f"{DETECTOR}/weights.safetensors", of_detectron2)),
    ),
]
