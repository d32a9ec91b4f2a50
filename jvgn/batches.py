"""Mini-batches: some images with all their expressions, as tensors ready for the model.

Shape suffixes: I images, N the most regions of one image, D feature size, S expressions; those of `factor_graph`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import torch
from numpy.typing import DTypeLike
from torch import Tensor

from jvgn.boxes import spatial_feature
from jvgn.factor_graph import Forest
from jvgn.regions.store import Regions


@dataclass(frozen=True)
class Batch:
    row_S: Tensor
    """Rows of the expressions table."""
    image_S: Tensor
    target_SN: Tensor
    """How much of the referent each region is: sums to one, or to zero where no region will do."""
    right_SN: Tensor
    """Whether choosing the region counts as finding the referent."""
    box_IN4: Tensor
    object_IN: Tensor
    feature_IND: Tensor
    """In the precision in which it is stored, which is quicker to move."""
    spatial_IN5: Tensor
    present_IN: Tensor
    word_SL: Tensor
    length_S: Tensor
    referent_S: Tensor
    image_K: Tensor
    expression_K: Tensor
    node_word_U: Tensor
    node_of_U: Tensor
    edges_E2: Tensor
    image_E: Tensor
    edge_word_V: Tensor
    edge_of_V: Tensor

    def to(self, device: torch.device) -> Self:
        return self.each(lambda value: value.to(device, non_blocking=True))

    def pin_memory(self) -> Self:
        """In memory that a GPU reads while the CPU goes on; torch's loader calls this."""
        return self.each(Tensor.pin_memory)

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        return replace(self, **{field.name: change(getattr(self, field.name)) for field in fields(self)})


def make_batch(
    forest: Forest,
    row_S: np.ndarray,
    image_S: np.ndarray,
    regions: Sequence[Regions],
    sizes: Sequence[tuple[int, int]],
    targets: Sequence[np.ndarray],
    right: Sequence[np.ndarray],
) -> Batch:
    spatial = [spatial_feature(part.box, *size) for part, size in zip(regions, sizes, strict=True)]
    longest = max(len(part.box) for part in regions)
    count_I = np.array([len(part.box) for part in regions])
    return Batch(
        row_S=torch.from_numpy(row_S),
        image_S=torch.from_numpy(image_S),
        target_SN=padded(targets, longest, np.float32),
        right_SN=padded(right, longest, np.bool_),
        box_IN4=padded([part.box for part in regions], longest, np.float32),
        object_IN=padded([part.object_id for part in regions], longest, np.int64),
        feature_IND=padded([part.feature for part in regions], longest, regions[0].feature.dtype),
        spatial_IN5=padded(spatial, longest, np.float32),
        present_IN=torch.from_numpy(np.arange(longest) < count_I[:, None]),
        word_SL=torch.from_numpy(forest.word_SL),
        length_S=torch.from_numpy(forest.length_S),
        referent_S=torch.from_numpy(forest.referent_S),
        image_K=torch.from_numpy(image_S[forest.expression_K]),
        expression_K=torch.from_numpy(forest.expression_K),
        node_word_U=torch.from_numpy(forest.node_word_U),
        node_of_U=torch.from_numpy(forest.node_of_U),
        edges_E2=torch.from_numpy(forest.edges_E2),
        image_E=torch.from_numpy(image_S[forest.expression_E]),
        edge_word_V=torch.from_numpy(forest.edge_word_V),
        edge_of_V=torch.from_numpy(forest.edge_of_V),
    )


def padded(parts: Sequence[np.ndarray], longest: int, dtype: DTypeLike) -> Tensor:
    """The parts stacked, zeros where one is shorter."""
    stacked = np.zeros((len(parts), longest, *parts[0].shape[1:]), dtype)
    for row, part in zip(stacked, parts, strict=True):
        row[: len(part)] = part
    return torch.from_numpy(stacked)
