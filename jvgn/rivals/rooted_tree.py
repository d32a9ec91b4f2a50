"""The graphs as trees that hang from their referents, for models that reason upwards (GroundNet, NMTree).

Nodes that no path joins to a referent are in no level. `jvgn` explains the shape suffixes.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from jvgn.batches import Batch


class RootedLevel(NamedTuple):
    """Edges at one distance from the referents."""

    edge_F: Tensor
    child_F: Tensor
    parent_F: Tensor
    parent_is_subject_F: Tensor


def rooted_levels(batch: Batch) -> list[RootedLevel]:
    """Return the levels, the farthest from the referents first. On a GPU, this waits for the device."""
    edges_E2, device = batch.edges_E2.cpu(), batch.edges_E2.device
    is_reached_K = torch.zeros(len(batch.expression_K), dtype=torch.bool)
    is_reached_K[batch.referent_S.cpu()] = True
    levels: list[RootedLevel] = []
    while len(edge_F := (is_reached_K[edges_E2].sum(dim=1) == 1).nonzero().squeeze(1)):
        parent_is_subject_F = is_reached_K[edges_E2[edge_F, 0]]
        subject_F, object_F = edges_E2[edge_F].T
        child_F = torch.where(parent_is_subject_F, object_F, subject_F)
        parent_F = torch.where(parent_is_subject_F, subject_F, object_F)
        is_reached_K[child_F] = True
        levels.insert(0, RootedLevel(*(one.to(device) for one in (edge_F, child_F, parent_F, parent_is_subject_F))))
    return levels
