"""Mini-batches: some images with all their expressions, as tensors ready for the model.

A batch carries all counts and orders that depend on its data (how messages travel, which rows an image has, how many
expressions have a target), so that no step has to ask the device for them. `jvgn` explains the shape suffixes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import DTypeLike
from torch import Tensor

from jvgn.boxes import spatial_feature
from jvgn.factor_graph import Forest
from jvgn.message_schedule import Grouping, Schedule, group_by_image, message_schedule
from jvgn.regions.hdf5_store import Regions


@dataclass(frozen=True)
class RuleLogits:
    """The log-potentials of an expression by rules, without "not found"."""

    unary_KN: np.ndarray
    pairwise_ENN: np.ndarray


@dataclass(frozen=True)
class Batch:
    """A mini-batch. All fields are on one device; indices are within the batch."""

    row_S: Tensor
    """Rows of the table of expressions."""
    image_S: Tensor
    labelled_G: Tensor
    """The nodes that the loss is about: the referents, or more if more is supervised."""
    target_GN: Tensor
    """Target of eq. (19) in det, one-hot in gt; all zeros if no region overlaps the gold box enough."""
    with_target: int
    """How many labelled nodes have a target; training leaves the others out."""
    right_SN: Tensor
    """Whether choosing the region counts as finding the referent."""
    box_IN4: Tensor
    object_IN: Tensor
    feature_IND: Tensor
    """In the precision of the file, which is faster to move."""
    spatial_IN5: Tensor
    present_IN: Tensor
    """False for padding: an image may have fewer regions than N."""
    word_RT: Tensor
    length_R: Tensor
    referent_S: Tensor
    expression_K: Tensor
    node_word_U: Tensor
    node_of_U: Tensor
    edges_E2: Tensor
    edge_word_V: Tensor
    edge_of_V: Tensor
    expressions_by_image: Grouping
    nodes_by_image: Grouping
    edges_by_image: Grouping
    schedule: Schedule
    rule_unary_KN: Tensor | None = None
    """Log-potentials by rules, if the run adds them to the network's; zero for padding."""
    rule_pairwise_ENN: Tensor | None = None

    @property
    def image_K(self) -> Tensor:  # noqa: N802 (a shape suffix)
        return self.nodes_by_image.image_K

    @property
    def image_E(self) -> Tensor:  # noqa: N802 (a shape suffix)
        return self.edges_by_image.image_K

    def to(self, device: torch.device) -> Self:
        return self.each(lambda value: value.to(device, non_blocking=True))

    def pin_memory(self) -> Self:
        """Return the batch in memory that a GPU reads while the CPU goes on; torch's loader calls this."""
        return self.each(Tensor.pin_memory)

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        """Return the batch with every tensor changed."""

        def changed(value: Any) -> Any:
            if isinstance(value, Grouping | Schedule):
                return value.each(change)
            return change(value) if isinstance(value, Tensor) else value

        return replace(self, **{field.name: changed(getattr(self, field.name)) for field in fields(self)})


def make_batch(
    forest: Forest,
    row_S: np.ndarray,
    image_S: np.ndarray,
    regions: Sequence[Regions],
    sizes: Sequence[tuple[int, int]],
    labelled_G: np.ndarray,
    targets: Sequence[np.ndarray],
    right: Sequence[np.ndarray],
    rules: Sequence[RuleLogits] = (),
) -> Batch:
    """Return a batch of these expressions; `row_S` are rows of their table, `image_S` indices into `regions`.

    `rules` has the log-potentials of each expression, or is empty.
    """
    spatial = [spatial_feature(part.box, *size) for part, size in zip(regions, sizes, strict=True)]
    longest = max(len(part.box) for part in regions)
    count_I = np.array([len(part.box) for part in regions])
    rule_unary_KN, rule_pairwise_ENN = padded_rules(rules, longest) if rules else (None, None)
    return Batch(
        row_S=torch.from_numpy(row_S),
        image_S=torch.from_numpy(image_S),
        labelled_G=torch.from_numpy(labelled_G),
        target_GN=padded(targets, longest, np.float32),
        with_target=sum(bool(target_N.any()) for target_N in targets),
        right_SN=padded(right, longest, np.bool_),
        box_IN4=padded([part.box for part in regions], longest, np.float32),
        object_IN=padded([part.object_id for part in regions], longest, np.int64),
        feature_IND=padded([part.feature for part in regions], longest, regions[0].feature.dtype),
        spatial_IN5=padded(spatial, longest, np.float32),
        present_IN=torch.from_numpy(np.arange(longest) < count_I[:, None]),
        word_RT=torch.from_numpy(forest.word_RT),
        length_R=torch.from_numpy(forest.length_R),
        referent_S=torch.from_numpy(forest.referent_S),
        expression_K=torch.from_numpy(forest.expression_K),
        node_word_U=torch.from_numpy(forest.node_word_U),
        node_of_U=torch.from_numpy(forest.node_of_U),
        edges_E2=torch.from_numpy(forest.edges_E2),
        edge_word_V=torch.from_numpy(forest.edge_word_V),
        edge_of_V=torch.from_numpy(forest.edge_of_V),
        expressions_by_image=group_by_image(image_S, len(regions)),
        nodes_by_image=group_by_image(image_S[forest.expression_K], len(regions)),
        edges_by_image=group_by_image(image_S[forest.expression_E], len(regions)),
        schedule=message_schedule(len(forest.expression_K), forest.edges_E2),
        rule_unary_KN=None if rule_unary_KN is None else rule_unary_KN[forest.original_K],
        rule_pairwise_ENN=rule_pairwise_ENN,
    )


def padded_rules(rules: Sequence[RuleLogits], longest: int) -> tuple[Tensor, Tensor]:
    """Return (K, N) and (E, N, N): the log-potentials of all expressions, with zeros for padding."""
    nodes, edges = sum(len(one.unary_KN) for one in rules), sum(len(one.pairwise_ENN) for one in rules)
    unary_KN = np.zeros((nodes, longest), np.float32)
    pairwise_ENN = np.zeros((edges, longest, longest), np.float32)
    node = edge = 0
    for one in rules:
        after_node, after_edge, count = node + len(one.unary_KN), edge + len(one.pairwise_ENN), one.unary_KN.shape[1]
        unary_KN[node:after_node, :count] = one.unary_KN
        pairwise_ENN[edge:after_edge, :count, :count] = one.pairwise_ENN
        node, edge = after_node, after_edge
    return torch.from_numpy(unary_KN), torch.from_numpy(pairwise_ENN)


def padded(parts: Sequence[np.ndarray], longest: int, dtype: DTypeLike) -> Tensor:
    """Return the parts stacked, with zeros where one is shorter."""
    stacked = np.zeros((len(parts), longest, *parts[0].shape[1:]), dtype)
    for row, part in zip(stacked, parts, strict=True):
        row[: len(part)] = part
    return torch.from_numpy(stacked)
