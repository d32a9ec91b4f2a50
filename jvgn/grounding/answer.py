"""What a run says of a sentence in an image: a region for every mentioned object, and what it believes of the others.

Shape suffixes: K nodes, N regions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parsers.scene_graph import SceneGraph

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Grounding:
    """Where a mentioned object is: its box, and the box's probability before and after message passing."""

    node: int
    phrase: str
    box: Box
    unary: float
    marginal: float
    is_referent: bool
    region: int
    """Its index among the image's regions."""


@dataclass(frozen=True)
class JointGrounding:
    """One way to ground every mentioned object, and its probability among all ways."""

    probability: float
    groundings: list[Grounding]


@dataclass(frozen=True)
class Answer:
    """All that a run believes about a sentence in an image."""

    text: str
    graph: SceneGraph
    """Its referent is the one that the run's settings ask for."""
    size: tuple[int, int]
    """Width and height of the image."""
    box_N4: np.ndarray
    unary_KN: np.ndarray
    """Probabilities before message passing, by each node's own words."""
    marginal_KN: np.ndarray
    """Probabilities after it."""
    region_K: tuple[int, ...]
    """The region that each node is grounded in, by the run's decoding."""
    unknown_words: tuple[str, ...] = ()
    """Those that the run has not learned: to the model, they are all the same word."""
    joint: tuple[JointGrounding, ...] = ()
    """The most probable joint groundings, as many as were asked for."""

    @property
    def groundings(self) -> list[Grounding]:
        """A box and its probability for every object that the sentence mentions, in the order of mention."""
        return self.grounded_in(self.region_K)

    def grounded_in(self, region_K: Sequence[int]) -> list[Grounding]:
        """Each node in the region named for it."""
        return [
            Grounding(
                node=node,
                phrase=self.phrase(node),
                box=self.box(region),
                unary=float(self.unary_KN[node, region]),
                marginal=float(self.marginal_KN[node, region]),
                is_referent=node == self.graph.referent,
                region=region,
            )
            for node, region in enumerate(region_K)
        ]

    def phrase(self, node: int) -> str:
        return " ".join(self.graph.tokens[token] for token in self.graph.nodes[node].tokens)

    def box(self, region: int) -> Box:
        x1, y1, x2, y2 = self.box_N4[region].tolist()
        return x1, y1, x2, y2
