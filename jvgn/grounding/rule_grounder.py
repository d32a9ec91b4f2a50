"""`RuleGrounder`: ground sentences by rules in the regions of a picture, given or detected. Nothing is trained.

Shape suffixes: K nodes, N regions, M = N + 1 with "not found", E edges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
from PIL import Image, ImageOps

from jvgn.belief_propagation import log_marginals
from jvgn.grounding.answer import Answer, Grounding
from jvgn.grounding.answerer import edges_of, with_joint
from jvgn.grounding.questions import answered_in_order
from jvgn.rules.notes import notes
from jvgn.rules.pretrained_scenes import pretrained_finder
from jvgn.rules.rule_potentials import RulePotentials, rule_potentials
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
class RuleQuestion:
    """A scene graph and the regions of an image, with the potentials of the rules."""

    graph: SceneGraph
    scene: Scene
    rules: RulePotentials


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
        written = text if isinstance(text, str) else " ".join(text.tokens)
        return self.answer_to(self.question(image, text), written, best)

    def question(self, image: Picture, text: str | SceneGraph) -> RuleQuestion:
        """Return the potentials of a sentence or a scene graph in an image."""
        graph = self.graph(text) if isinstance(text, str) else text
        if not isinstance(image, SeenPicture | Scene):
            image = self.look(image)
        scene = image if isinstance(image, Scene) else image.scene(graph)
        return RuleQuestion(graph, scene, rule_potentials(scene, graph, self.settings))

    def answer_to(self, question: RuleQuestion, text: str, best: int = 0) -> Answer:
        graph, scene = question.graph, question.scene
        unary_KM, pairwise_EMM = question.rules.tensors()
        marginal_KM = log_marginals(unary_KM, pairwise_EMM, edges_of(graph))
        region_K = tuple(marginal_KM.argmax(dim=1).tolist())
        answer = Answer(
            text=text,
            graph=graph,
            size=scene.size,
            box_N4=scene.box_N4,
            unary_KN=unary_KM.softmax(dim=1).numpy(),
            marginal_KN=marginal_KM.exp().numpy(),
            region_K=region_K,
            pixels_HW3=scene.pixels_HW3,
            contributions=question.rules.contributions,
            notes=tuple(notes(scene, graph, question.rules, region_K)),
        )
        return with_joint(answer, unary_KM, pairwise_EMM, best) if best else answer

    def graph(self, text: str) -> SceneGraph:
        if not text.strip():
            raise UserError("the sentence is empty; give some words")
        return parse(text, backend=self.parser.backend, **self.parser.options)


def boxes(answer: Answer) -> np.ndarray:
    """Return (K, 4): the box of each node; NaN for one that was not found."""
    nowhere = (np.nan,) * 4
    return np.array([found.box or nowhere for found in answer.groundings], dtype=np.float32)
