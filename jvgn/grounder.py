"""Grounds a sentence in a picture: detects, parses, and finds every object the sentence mentions.

Shape suffixes: K nodes, N regions, Q joint groundings, from the best.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from jvgn.batches import Batch, make_batch
from jvgn.checkpoint import TrainedModel, load_model
from jvgn.factor_graph import factor_graph
from jvgn.grounding import Grounding, JointGrounding
from jvgn.model import NodeBeliefs
from jvgn.regions.extraction import Extractor, flaw_in
from jvgn.regions.images import as_tensor, read_image
from jvgn.regions.sources import load_source
from jvgn.regions.store import Regions
from jvgn.settings.detector import read_detector_settings
from jvgn.settings.regions import RegionSettings
from jvgn.vocabulary import Vocabulary
from parsers import parse
from parsers.files import UserError
from parsers.options import Parser, read_parser
from parsers.scene_graph import SceneGraph


class Grounder:
    """A trained run, with its detector and its parser."""

    def __init__(self, trained: TrainedModel, extractor: Extractor, parser: Parser, device: torch.device) -> None:
        self.trained, self.extractor, self.parser, self.device = trained, extractor, parser, device
        self.vocabulary = Vocabulary(trained.words)

    @classmethod
    def load(cls, run: Path | str, device: str = "cpu") -> Self:
        """The run in a folder such as `results/shapes_det`; its detector and its parser lie beside it in `results/`."""
        run = Path(run).resolve()
        trained = load_model(run / "model.safetensors", torch.device(device))
        dataset_folder = run.parent.parent if run.parent.name == "runs" else run
        dataset, results = dataset_folder.name.rpartition("_")[0], dataset_folder.parent
        regions = results / "regions" / f"{dataset}_det" / "settings.yaml"
        if not regions.exists():
            raise UserError(f"{regions}: there is no such file; it says how regions are detected: run {dataset}_det")
        settings = RegionSettings.read(regions)
        detector = detector_folder(results / "detectors", dataset, trained.settings.detector)
        chosen = read_detector_settings(detector / "settings.yaml")
        source = load_source(chosen, detector / "weights.safetensors", settings.proposals)
        extractor = Extractor(source, settings, device)
        parser = read_parser(results / "graphs" / dataset / trained.settings.parser / "settings.yaml")
        return cls(trained, extractor, parser, torch.device(device))

    @torch.no_grad()
    def ground(self, image: Path | str | Image.Image, text: str) -> list[Grounding]:
        """A box and its probability for every object that `text` mentions, in the order of mention."""
        question = self.question(image, text)
        beliefs = self.trained.model(question.batch)
        return question.groundings(beliefs.regions(self.trained.settings.decoding), beliefs)

    @torch.no_grad()
    def best_groundings(self, image: Path | str | Image.Image, text: str, k: int) -> list[JointGrounding]:
        """The `k` most probable ways to ground all that `text` mentions together, or all where they are fewer."""
        question = self.question(image, text)
        beliefs = self.trained.model(question.batch)
        region_KQ, (score_Q,) = self.trained.model.best_groundings(question.batch, k)
        return [
            JointGrounding(float(score.exp()), question.groundings(region_K, beliefs))
            for region_K, score in zip(region_KQ.T, score_Q, strict=True)
            if score.isfinite()
        ]

    def question(self, image: Path | str | Image.Image, text: str) -> "Question":
        if not text.strip():
            raise UserError("an empty sentence mentions nothing; give some words")
        pixels_3HW = as_tensor(image) if isinstance(image, Image.Image) else read_image(Path(image))
        graph = parse(text, backend=self.parser.backend, **self.parser.options)
        (regions,) = self.extractor.regions_of([pixels_3HW])
        if flaw := flaw_in(regions, self.extractor.settings.precision):
            raise UserError(f"this image {flaw}; try another one")
        nothing_N = np.zeros(len(regions), dtype=np.float32)
        first = np.zeros(1, dtype=np.int64)
        batch = make_batch(
            forest=factor_graph(graph, self.vocabulary, self.trained.settings.referent).forest(first),
            row_S=first,
            image_S=first,
            regions=[regions],
            sizes=[(pixels_3HW.shape[2], pixels_3HW.shape[1])],
            targets=[nothing_N],
            right=[nothing_N.astype(bool)],
        )
        return Question(graph, regions, batch.to(self.device))


@dataclass(frozen=True)
class Question:
    """A sentence and the regions of an image, as the model takes them: a mini-batch of one."""

    graph: SceneGraph
    regions: Regions
    batch: Batch

    def groundings(self, region_K: Tensor, beliefs: NodeBeliefs) -> list[Grounding]:
        """Each node in the region named for it."""
        groundings = []
        for k, (node, region) in enumerate(zip(self.graph.nodes, region_K.tolist(), strict=True)):
            x1, y1, x2, y2 = self.regions.box[region].tolist()
            grounding = Grounding(
                node=k,
                phrase=" ".join(self.graph.tokens[token] for token in node.tokens),
                box=(x1, y1, x2, y2),
                unary=float(beliefs.unary_KN[k, region].exp()),
                marginal=float(beliefs.marginal_KN[k, region].exp()),
                is_referent=k == int(self.batch.referent_S[0]),
            )
            groundings.append(grounding)
        return groundings


def detector_folder(detectors: Path, dataset: str, detector: str) -> Path:
    """A detector lies under what it was trained on: the dataset itself, or a training set."""
    own = detectors / dataset / detector
    if own.exists():
        return own
    found = sorted(detectors.glob(f"*/{detector}"))
    if not found:
        raise UserError(f"{own}: there is no such detector, nor one of its name beside it; run {dataset}_det")
    if len(found) > 1:
        names = ", ".join(folder.parent.name for folder in found)
        raise UserError(f"{detectors}: {detector} was trained on each of {names}; leave one of these folders there")
    return found[0]
