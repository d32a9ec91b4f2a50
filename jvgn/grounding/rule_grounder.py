"""`RuleGrounder`: ground sentences by rules in the regions of a picture, given or detected. Nothing is trained.

Shape suffixes: K nodes, N regions, M = N + 1 with "not found", E edges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
import torch
from PIL import Image, ImageOps

from jvgn.belief_propagation import log_marginals
from jvgn.grounding.answer import Answer, Grounding, JointGrounding
from jvgn.grounding.questions import answered_in_order
from jvgn.joint_decoding import best_joint
from jvgn.rules.pretrained_scenes import pretrained_finder
from jvgn.rules.rule_potentials import rule_potentials
from jvgn.rules.scene import Scene
from jvgn.rules.scene_finder import SceneFinder, SeenPicture
from jvgn.settings.run import RuleSettings
from jvgn.storage.pictures import as_rgb
from parsers import parse
from parsers.errors import UserError
from parsers.parser import Parser
from parsers.scene_graph import SceneGraph

Picture = Path | str | Image.Image | SeenPicture | Scene
"""An image, what `RuleGrounder.look` returned for one, or its regions."""


@dataclass(frozen=True)
class RuleGrounder:
    """The rules, with a parser and something that finds the regions of pictures."""

    settings: RuleSettings = field(default_factory=RuleSettings)
    parser: Parser = field(default_factory=lambda: Parser("lexical"))
    finder: SceneFinder | None = None
    """None: only scenes are grounded, no pictures."""

    @classmethod
    def pretrained(cls, detector: str | None = None, device: str = "cpu") -> Self:
        """Return the rules with a pretrained detector: the best available one, or a named one.

        Names are those of `jvgn ground --detector`. Missing weights are downloaded.
        """
        return cls(finder=pretrained_finder(detector, device))

    def ground(self, image: Picture, text: str | SceneGraph) -> list[Grounding]:
        """Return a box, or that it was not found, for every object that `text` mentions, in the order of mention."""
        return self.answer(image, text).groundings

    def look(self, image: Path | str | Image.Image) -> SeenPicture:
        """Return an image with its regions, for any number of sentences. It is turned as its camera noted."""
        if self.finder is None:
            raise UserError("no detector; use RuleGrounder.pretrained(), or give the regions as a Scene")
        if isinstance(image, Image.Image):
            return self.finder.look(as_rgb(ImageOps.exif_transpose(image)))
        return self.finder.look(Path(image))

    def answers(self, asked: Sequence[tuple[Path | str, str]], best: int = 0) -> Iterator[Answer | UserError]:
        """Yield the answer to each image and sentence, in their order, or its error. Each image is opened once."""
        return answered_in_order(asked, self.look, partial(self.answer, best=best))

    def answer(self, image: Picture, text: str | SceneGraph, best: int = 0) -> Answer:
        """Return the beliefs of the rules about a sentence or a scene graph, with the `best` joint groundings."""
        graph = self.graph(text) if isinstance(text, str) else text
        if not isinstance(image, SeenPicture | Scene):
            image = self.look(image)
        scene = image if isinstance(image, Scene) else image.scene(graph)
        rules = rule_potentials(scene, graph, self.settings)
        unary_KM, pairwise_EMM = rules.tensors()
        edges_E2 = torch.tensor([(edge.subject, edge.object) for edge in graph.edges]).reshape(-1, 2)
        marginal_KM = log_marginals(unary_KM, pairwise_EMM, edges_E2)
        answer = Answer(
            text=text if isinstance(text, str) else " ".join(graph.tokens),
            graph=graph,
            size=scene.size,
            box_N4=scene.box_N4,
            unary_KN=unary_KM.softmax(dim=1).numpy(),
            marginal_KN=marginal_KM.exp().numpy(),
            region_K=tuple(marginal_KM.argmax(dim=1).tolist()),
            pixels_HW3=scene.pixels_HW3,
            contributions=rules.contributions,
        )
        if not best:
            return answer
        expression_K = torch.zeros(len(graph.nodes), dtype=torch.long)
        region_KQ, (score_Q,) = best_joint(unary_KM, pairwise_EMM, edges_E2, expression_K, best)
        joint = tuple(
            JointGrounding(float(score.exp()), answer.grounded_in(region_K.tolist()))
            for region_K, score in zip(region_KQ.T, score_Q, strict=True)
        )
        return Answer(**(vars(answer) | {"joint": joint}))

    def graph(self, text: str) -> SceneGraph:
        if not text.strip():
            raise UserError("the sentence is empty; give some words")
        return parse(text, backend=self.parser.backend, **self.parser.options)


def boxes(answer: Answer) -> np.ndarray:
    """Return (K, 4): the box of each node; NaN for one that was not found."""
    nowhere = (np.nan,) * 4
    return np.array([found.box or nowhere for found in answer.groundings], dtype=np.float32)
