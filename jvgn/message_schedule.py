"""The order of messages and the layout of rows, planned on the CPU when a mini-batch is made.

Both depend on the graphs alone, not on scores. The plan is moved to the device together with the batch, so a training
step never synchronises with the device to make one. `jvgn` explains the
shape suffixes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Level:
    """Edges whose messages are sent together: each child has heard from all its own children."""

    edge_F: Tensor
    child_F: Tensor
    parent_F: Tensor
    objects: int
    """Number of leading edges whose child is the object; their scores are already indexed (parent, child)."""

    def scores(self, pairwise_ENN: Tensor) -> Tensor:
        """Return the level's pairwise scores as (F, parent's region, child's region)."""
        score_FNN = pairwise_ENN.index_select(0, self.edge_F)
        return torch.cat([score_FNN[: self.objects], score_FNN[self.objects :].transpose(1, 2)])

    def part(self, chosen_F: Tensor) -> "Level":
        objects = int(chosen_F[: self.objects].sum())
        return Level(self.edge_F[chosen_F], self.child_F[chosen_F], self.parent_F[chosen_F], objects)


@dataclass(frozen=True)
class Schedule:
    """The order of a forest's messages from the leaves to the roots. The way back is the reverse."""

    order_3E: Tensor
    """All levels end to end; one tensor, because many small ones are slow to move."""
    sizes: tuple[tuple[int, int], ...]
    """For each level, how many edges have their object as the child, and how many their subject."""

    def __iter__(self) -> Iterator[Level]:
        parts = self.order_3E.split([sum(size) for size in self.sizes], dim=1)
        for part_3F, (objects, _) in zip(parts, self.sizes, strict=True):
            edge_F, child_F, parent_F = part_3F
            yield Level(edge_F, child_F, parent_F, objects)

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        return replace(self, order_3E=change(self.order_3E))


def message_schedule(node_count: int, edges_E2: np.ndarray) -> Schedule:
    """Return the schedule of a forest's messages; a cycle or an unknown node is a ValueError."""
    edges_E2 = np.asarray(edges_E2, dtype=np.int64).reshape(-1, 2)
    if len(edges_E2) and not (edges_E2.min() >= 0 and edges_E2.max() < node_count):
        raise ValueError(f"an edge names a node that is not among the {node_count}")
    levels = peel(node_count, edges_E2)
    # One row each for the edge, its child and its parent; within a level, edges whose object is the child come first.
    subject_E, object_E = edges_E2.T
    parts = [
        [
            np.concatenate([by_object_F, by_subject_F]),
            np.concatenate([object_E[by_object_F], subject_E[by_subject_F]]),
            np.concatenate([subject_E[by_object_F], object_E[by_subject_F]]),
        ]
        for by_object_F, by_subject_F in levels
    ]
    order_3E = np.concatenate([np.empty((3, 0), np.int64), *map(np.stack, parts)], axis=1)
    sizes = tuple((len(by_object_F), len(by_subject_F)) for by_object_F, by_subject_F in levels)
    return Schedule(torch.from_numpy(order_3E), sizes)


def schedule_of(edges_E2: Tensor | Schedule, node_count: int) -> Schedule:
    """Return the schedule of edges, on their device.

    Making it synchronises with the device, so batches carry a schedule in the place of the edges.
    """
    if isinstance(edges_E2, Schedule):
        return edges_E2
    schedule = message_schedule(node_count, edges_E2.detach().cpu().numpy())
    return schedule.each(lambda order_3E: order_3E.to(edges_E2.device))


def peel(node_count: int, edges_E2: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return each level's edges, from the leaves inward: those whose object is the child, those whose subject is.

    Leaves are peeled off all trees at once until only roots are left.
    """
    left_E = np.arange(len(edges_E2))
    levels = []
    while len(left_E):
        left_E2 = edges_E2[left_E]
        is_leaf_K = np.bincount(left_E2.ravel(), minlength=node_count) == 1
        subject_is_leaf_E, object_is_leaf_E = is_leaf_K[left_E2].T
        is_left_E = ~(subject_is_leaf_E | object_is_leaf_E)
        if is_left_E.all():
            raise ValueError(f"the graph has a cycle through nodes {sorted(set(left_E2.ravel().tolist()))}")
        # The object is the child unless only the subject is a leaf.
        levels.append((left_E[object_is_leaf_E], left_E[subject_is_leaf_E & ~object_is_leaf_E]))
        left_E = left_E[is_left_E]
    return levels


@dataclass(frozen=True)
class Grouping:
    """Rows that belong to images, nodes or edges, laid out as (I, J) so that one batched product serves all images."""

    image_K: Tensor
    place_K: Tensor
    """The row's place among those of its image."""
    image_count: int
    size: int
    """J: the most rows of one image."""

    def spread(self, value_KL: Tensor) -> Tensor:
        """Return (I, J, L), zero where an image has fewer rows."""
        spread_IJL = value_KL.new_zeros(self.image_count, self.size, value_KL.shape[1])
        return spread_IJL.index_put((self.image_K, self.place_K), value_KL)

    def collect(self, value_IJN: Tensor) -> Tensor:
        return value_IJN[self.image_K, self.place_K]

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        return replace(self, image_K=change(self.image_K), place_K=change(self.place_K))


def group_by_image(image_K: np.ndarray, image_count: int) -> Grouping:
    """Return the layout of rows whose images are `image_K`."""
    order_K = np.argsort(image_K, kind="stable")
    count_I = np.bincount(image_K, minlength=image_count)
    start_I = count_I.cumsum() - count_I
    place_K = np.empty_like(image_K)
    place_K[order_K] = np.arange(len(image_K)) - start_I[image_K[order_K]]
    return Grouping(torch.from_numpy(image_K), torch.from_numpy(place_K), image_count, int(count_I.max(initial=0)))


def grouping_of(image_K: Tensor | Grouping, image_count: int) -> Grouping:
    """Return the grouping of rows by image, on their device.

    Making it synchronises with the device, so batches carry a grouping in the place of the images.
    """
    if isinstance(image_K, Grouping):
        return image_K
    return group_by_image(image_K.cpu().numpy(), image_count).each(lambda value_K: value_K.to(image_K.device))
