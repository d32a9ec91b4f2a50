"""Settings of the rules: the weights of their groups."""

from typing import Literal

from pydantic import Field, NonNegativeFloat

from jvgn.settings.base import Frozen

RuleGroup = Literal["names", "attributes", "places", "order", "relations", "differences"]


class RuleSettings(Frozen):
    """Weights are in logits: a region that does not fit at all loses the weight against one that fits."""

    names: NonNegativeFloat = 7.0
    """A region whose category the noun cannot mean."""
    score: NonNegativeFloat = 0.6
    """Factor of the logarithm of a detection's score."""
    size: NonNegativeFloat = 0.3
    """Factor of the logarithm of a region's area: people talk about large objects."""
    null: float = -3.5
    """The logit of "not found": above that of a region with another name, below that of a wrong attribute."""
    attributes: NonNegativeFloat = 2.5
    """A colour, a size or a pose."""
    places: NonNegativeFloat = 3.0
    """A place in the picture: "on the left"."""
    order: NonNegativeFloat = 3.0
    """Ordinal numbers and superlatives: "second from the left", "largest"."""
    relations: NonNegativeFloat = 3.5
    """A relation between two regions."""
    unknown_relations: NonNegativeFloat = 2.5
    """A relation whose words are not in the table: touching regions fit."""
    parts: NonNegativeFloat = 4.0
    """A part or a piece of clothing in another region than its owner."""
    differences: NonNegativeFloat = 3.0
    """Two mentions in the same region."""
    unseen: float = Field(0.3, ge=0, le=1)
    """How well a relation to something that was not found fits, from 0 to 1."""
    without: tuple[RuleGroup, ...] = ()
    """Groups of rules that are left out."""
