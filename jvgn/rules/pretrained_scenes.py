"""Scenes by pretrained detectors: of COCO's categories, or of the phrases of a sentence.

A detector with a closed vocabulary names its regions, and the rules compare nouns with these names. A detector with an
open vocabulary looks for the phrases of the graph instead, and its scores say how well a region fits a noun.
Shape suffixes: K nodes, N regions, Q phrases, H, W pixels.
"""

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from jvgn.boxes import area
from jvgn.detector.images import slimness
from jvgn.detector.interface import ClosedVocabulary, OpenVocabulary
from jvgn.downloads.download import fetch
from jvgn.rules.colours import colour_words
from jvgn.rules.comparisons import EXTREMES, MIDDLES, ORDINALS, PLACES, STRESS
from jvgn.rules.given_regions import LEAST_SCORE, NMS
from jvgn.rules.nouns import WORN, source_of_noun
from jvgn.rules.scene import Floats, Scene, without_duplicates
from jvgn.rules.scene_finder import Picture, SceneFinder, SeenPicture
from jvgn.settings.built_in_sources import BUILT_IN_SOURCES
from jvgn.settings.configuration import CONFIGURATION, read_configuration
from jvgn.settings.detector import COCO_MODELS, CocoModel, coco_weights
from jvgn.settings.source import DownloadSettings
from jvgn.storage.pictures import checked_picture
from parsers.errors import UserError
from parsers.scene_graph import SceneGraph

log = logging.getLogger(__name__)

TORCHVISION = "torchvision-coco"
MEGABYTES: dict[CocoModel, int] = {"fasterrcnn_resnet50_fpn_v2": 175, "fasterrcnn_mobilenet_v3_large_fpn": 78}
"""Sizes of the published files."""
NOT_SEEN = frozenset({*PLACES, *MIDDLES, *EXTREMES, *STRESS, *ORDINALS, "other", "another", "same"})
"""Words that compare regions with each other: the rules read them, a detector cannot."""


class DetectedScenes:
    """Scenes of a detector with a closed vocabulary: detected once for all sentences."""

    def __init__(self, detector: ClosedVocabulary) -> None:
        self.detector, self.name = detector, detector.name

    def look(self, picture: Picture) -> SeenPicture:
        pixels_HW3 = seen_pixels(picture)
        found = self.detector.detect(pixels_HW3)
        scene = scene_of(found.box_N4, found.names, found.score_N, pixels_HW3)
        kept = without_duplicates(scene, NMS, LEAST_SCORE)
        return SeenPicture(pixels_HW3, lambda _: kept)


class SearchedScenes:
    """Scenes of a detector with an open vocabulary: it looks for the phrases of each sentence."""

    def __init__(self, detector: OpenVocabulary) -> None:
        self.detector, self.name = detector, detector.name

    def look(self, picture: Picture) -> SeenPicture:
        pixels_HW3 = seen_pixels(picture)
        return SeenPicture(pixels_HW3, partial(self.searched, pixels_HW3))

    def searched(self, pixels_HW3: np.ndarray, graph: SceneGraph) -> Scene:
        phrase_K = [phrase_of(graph, node) for node in range(len(graph.nodes))]
        phrase_Q = list(dict.fromkeys(phrase_K))
        found = self.detector.search(pixels_HW3, phrase_Q)
        names = tuple(phrase_Q[best] for best in found.score_QN.argmax(axis=0))
        score_KN = found.score_QN[[phrase_Q.index(phrase) for phrase in phrase_K]]
        fit_KN = degree_of_score(score_KN, self.detector.threshold)
        scene = scene_of(found.box_N4, names, found.score_QN.max(axis=0), pixels_HW3, fit_KN)
        kept = without_duplicates(scene, NMS, self.detector.threshold)
        return replace(kept, score_N=np.ones(len(kept)))  # the degrees already say how sure the detector is


def seen_pixels(picture: Picture) -> np.ndarray:
    """Return the pixels of a picture; a file is turned as its camera noted."""
    pixels_HW3 = np.array(checked_picture(picture, as_seen=True) if isinstance(picture, Path) else picture)
    if slim := slimness(torch.from_numpy(pixels_HW3).permute(2, 0, 1)):
        raise UserError(f"{picture if isinstance(picture, Path) else 'this image'} {slim}; cut it into pieces")
    return pixels_HW3


def scene_of(
    box_N4: Floats, names: tuple[str, ...], score_N: Floats, pixels_HW3: np.ndarray, fit_KN: Floats | None = None
) -> Scene:
    """Return the regions, clipped to the picture; those outside of it are dropped."""
    height, width = pixels_HW3.shape[:2]
    clipped_N4 = np.clip(box_N4, 0, np.array([width, height] * 2, dtype=box_N4.dtype))
    inside = np.flatnonzero(area(clipped_N4) > 0)
    return Scene(
        clipped_N4[inside],
        tuple(names[row] for row in inside),
        score_N[inside],
        (width, height),
        pixels_HW3,
        None if fit_KN is None else fit_KN[:, inside],
    )


def degree_of_score(score_KN: Floats, threshold: float) -> Floats:
    """Return how well regions fit by a detector's scores: one half at the threshold of its library.

    At one half, the rules take a region and "not found" as equally probable.
    """
    return score_KN**2 / (score_KN**2 + threshold**2)


def phrase_of(graph: SceneGraph, index: int) -> str:
    """Return the words that a detector looks for: the noun of a node with the attributes that a picture shows."""
    node = graph.nodes[index]
    head = graph.nodes[source_of_noun(graph, index)].head.lower()
    is_worn = any(edge.object == index and edge.relation.lower() in WORN for edge in graph.edges)
    if is_worn and colour_words(head):
        head = f"{head} clothes"  # "the man in red"
    seen = [
        text.lower()
        for text, negated in zip(node.attributes, node.negated, strict=True)
        if not negated and NOT_SEEN.isdisjoint(text.lower().split())
    ]
    return " ".join([*seen, head])


def pretrained_finder(detector: str | None = None, device: str | torch.device = "cpu") -> SceneFinder:
    """Return a finder with a pretrained detector; without a name, the best one that is available.

    A name is `torchvision-coco`, one of torchvision's models, the path of its published file, or the name or the
    folder of a model of transformers.
    """
    if detector is None or detector == TORCHVISION:
        existing = (model for model in COCO_MODELS if Path(coco_weights(model)).exists())
        return by_torchvision(next(existing, COCO_MODELS[0]), device)
    for model in COCO_MODELS:
        if detector == model:
            return by_torchvision(model, device)
        if detector.endswith(".pth") and Path(detector).name.startswith(model):
            return by_torchvision(model, device, Path(detector))
    return by_transformers(detector, device)


def by_torchvision(model: CocoModel, device: str | torch.device, weights: Path | None = None) -> DetectedScenes:
    path = weights or fetched_weights(model)  # first, because torchvision takes seconds to load
    from jvgn.detector.torchvision_coco import load_coco_detector

    return DetectedScenes(load_coco_detector(model, path, device))


def by_transformers(name: str, device: str | torch.device) -> DetectedScenes | SearchedScenes:
    try:
        from jvgn.detector.transformers_backend import OpenTransformer, load_transformer
    except ImportError as error:
        raise UserError(
            f"--detector {name}: models by name need transformers, which is not installed; run: pip install"
            f" transformers timm, or choose --detector {TORCHVISION}"
        ) from error
    found = load_transformer(name, device)
    return SearchedScenes(found) if isinstance(found, OpenTransformer) else DetectedScenes(found)


def fetched_weights(model: CocoModel) -> Path:
    """Return the file of published weights, downloaded if it is missing from the mirrors of config.yaml, if any."""
    path = Path(coco_weights(model))
    if path.exists():
        return path
    sources, downloads = BUILT_IN_SOURCES, DownloadSettings(tries=2)
    if Path(CONFIGURATION).exists():
        chosen = read_configuration(Path(CONFIGURATION))
        sources, downloads = chosen.all_sources, chosen.downloads
    log.info("%s: not there yet; downloading %s MB, once", path, MEGABYTES[model])
    try:
        fetch(sources[model], downloads)
    except UserError as error:
        raise UserError(
            f"no detector; give --annotations FILE with regions, or get the weights ({MEGABYTES[model]} MB) by"
            f" `jvgn fetch {model}` in the project's folder ({error})"
        ) from error
    return path
