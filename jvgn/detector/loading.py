"""The detectors there are, by the `source` in their settings; each is imported when it is asked for."""

from pathlib import Path

from torch import nn

from jvgn.detector.interface import Source
from jvgn.settings.detector import DetectorSettings, Detectron2Settings, TorchvisionSettings
from parsers.errors import UserError


def load_source(settings: DetectorSettings, weights: Path | str, proposals: int | None = None) -> Source:
    """The detector of these settings, ready to detect; `proposals` an image, where not as many as its own."""
    from jvgn.detector.weights import check_settings, load_detector

    if settings.source == "torchvision":
        trained = load_detector(weights, proposals)
        check_settings(weights, trained.settings, settings)
        return trained
    if settings.source == "detectron2":
        from jvgn.detector.detectron2 import load_detectron2

        found = load_detectron2(weights, proposals)
        check_settings(weights, found.settings, settings)
        return found
    raise UserError(
        f"{weights}: features of source {settings.source} are imported, and no image can be looked at anew; choose"
        " another detector"
    )


def untrained(settings: TorchvisionSettings | Detectron2Settings, class_count: int) -> nn.Module:
    """A detector before its first step: called with images (3, H, W; uint8) and targets, it returns its losses."""
    if settings.source == "torchvision":
        from jvgn.detector.weights import start_detector

        return start_detector(settings, class_count)
    from jvgn.detector.detectron2 import start_detectron2

    return start_detectron2(settings, class_count)
