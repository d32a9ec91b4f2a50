"""Settings of a run: its inputs, model and training, or the weights of its rules; and of its vocabulary."""

from typing import Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from jvgn.settings.base import Frozen

RuleGroup = Literal["names", "attributes", "places", "order", "relations", "differences"]

ModelKind = Literal["jvgn", "bag_of_words", "mmi", "mil", "cmn", "groundnet", "ddpn", "nmtree", "listener"]
"""Each kind but "jvgn" is the name of a module of `jvgn.rivals`."""


class ModelSettings(Frozen):
    """Sizes and variants of the network."""

    kind: ModelKind = "jvgn"
    """The paper's model, or one of those it is compared with (docs/rivals.md). Those read whole sentences, learn from
    the referent alone, and have no `distinct`."""
    spatial_size: int = Field(512, gt=0, le=2**16)
    """Size of the embedded position of a region."""
    position_scale: PositiveFloat = 1.0
    """Factor of the initial weights of the layer that embeds positions. Lower: appearance counts more at first."""
    hidden_size: int = Field(1024, gt=0, le=2**16)
    """Size of each direction of the language encoder."""
    layers: int = Field(2, gt=0, le=100)
    words: Literal["sentence", "phrase"] = "sentence"
    """What the language encoder reads: the whole sentence, as in the paper, or each node and edge by its own words."""
    distinct: NonNegativeFloat = 0.0
    """Subtracted from the log-potential of an edge whose two ends are one region; 0: as in the paper."""


class TrainingSettings(Frozen):
    """Objective, optimiser and schedule of the training."""

    seed: NonNegativeInt = 0
    marginalise: bool = True
    """Sum over the groundings of context nodes while training; false: score the referent's phrase alone."""
    epochs: PositiveInt = 20
    images_per_batch: PositiveInt = 128
    """Images per step, each with all its expressions."""
    learning_rate: PositiveFloat = 1e-3
    decay: PositiveFloat = 0.9
    """The learning rate is multiplied by this every `decay_epochs`."""
    decay_epochs: PositiveInt = 10
    gradient_norm: NonNegativeFloat = 0.0
    """Longer gradients are cut to this length; 0: never."""
    supervise: Literal["referent", "phrases", "all"] = "referent"
    """What the loss is about: the referent, as in the paper; also each annotated phrase as an expression of its own; or
    all annotated nodes of the graph."""
    contrast: NonNegativeFloat = 0.0
    """Weight of a second loss, which is not in the paper: the words of a node fit some region of its own image better
    than any of the other images in the mini-batch. It needs no boxes, so it also teaches words that never denote a
    referent."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """The share of entries of each word vector that is set to 0 at random while training."""
    feature_dropout: float = Field(0.0, ge=0, lt=1)
    """The same for the visual features of the regions."""
    soft_label: Literal["normalised", "printed"] = "normalised"
    """Label in `det`: IoUs of at least `iou_threshold`, normalised; or softmax(max(0, IoU − threshold)), as the paper
    prints."""
    iou_threshold: float = Field(0.5, ge=0, lt=1)
    precision: Literal["float32", "bf16", "fp16"] = "float32"
    """Precision of matrix products while training. Norms, messages and the loss stay in float32."""
    save_every: PositiveInt = 500
    """Steps between two saved states. An interrupted training resumes from the last one."""


class RuleSettings(Frozen):
    """Weights of the rules, in logits: a region that does not fit at all loses the weight against one that fits."""

    names: NonNegativeFloat = 7.0
    """A region whose category the noun cannot mean."""
    score: NonNegativeFloat = 0.6
    """Factor of the logarithm of a detection's score."""
    size: NonNegativeFloat = 0.3
    """Factor of the logarithm of a region's area: people talk about large objects."""
    null: float = -3.5
    """The logit of "not found". docs/rules.md shows how reliable its probability is."""
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


class RunSettings(Frozen):
    """A run: its inputs, its model and its training."""

    detector: str
    parser: str = "lexical"
    vocabulary: str
    referent: Literal["head", "in_degree", "annotated"] = "head"
    """The node that the loss is about: the syntactic head; the node that no edge points to, as in the paper; or the
    node whose head the dataset's mentions annotate as the referent. Where no node matches, and for sentences without
    annotations, that is the syntactic head."""
    decoding: Literal["marginal", "map", "distinct"] = "marginal"
    """Ground each node in its most probable region, as in the paper; in its region of the best joint grounding; or of
    the best joint grounding that uses no region twice."""
    potentials: Literal["network", "rules", "both"] = "network"
    """The trained network of the paper; rules, which need no training and are for named runs (`runs`); or both: the sum
    of their logits, those of the rules with two scales that are learned."""
    rules: RuleSettings = RuleSettings()
    """Weights of the rules."""
    model: ModelSettings = ModelSettings()
    training: TrainingSettings = TrainingSettings()

    @model_validator(mode="after")
    def check_kind(self) -> Self:
        """Refuse what only the paper's model has; other models would ignore it."""
        if self.model.kind == "jvgn":
            return self
        training = self.training
        needed = {
            "potentials: network": self.potentials == "network",
            "decoding: marginal": self.decoding == "marginal",
            "model.words: sentence": self.model.words == "sentence",
            "training.supervise: referent": training.supervise == "referent",
            "training.contrast: 0": not training.contrast,
            "training.marginalise: true": training.marginalise,
        }
        if wrong := [name for name, holds in needed.items() if not holds]:
            raise ValueError(f"model.kind: {self.model.kind} needs {wrong[0]}; set that, or kind: jvgn")
        return self


class VocabularySettings(Frozen):
    """The words of a vocabulary, and the start of their vectors."""

    more_often_than: NonNegativeInt = 0
    """Keep words that occur more often than this."""
    splits: Literal["train", "all"] = "train"
    """The splits to count words in. Earlier work used `all`, a mild leak."""
    vector_size: PositiveInt = 300
    glove: str | None = None
    """A GloVe text file (plain, .gz or .zip). Null, and words that it lacks: random vectors."""
    seed: NonNegativeInt = 0
