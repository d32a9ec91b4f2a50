"""The detectors there are, by the `source` in their settings; each is imported when it is asked for."""

from pathlib import Path

from jvgn.regions.source import Source
from jvgn.settings.detector import DetectorSettings
from parsers.files import UserError


def load_source(settings: DetectorSettings, weights: Path | str, proposals: int | None = None) -> Source:
    """The detector of these settings, ready to detect; `proposals` an image, where not as many as its own."""
    if settings.source == "torchvision":
        from jvgn.regions.weights import check_settings, load_detector

        trained = load_detector(weights, proposals)
        check_settings(weights, trained.settings, settings)
        return trained
    raise UserError(f"{weights}: features of source {settings.source} are imported, and no image can be looked at anew")
