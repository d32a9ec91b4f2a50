"""The definition of a correct region, used by training, recall, prediction and scores alike.

On annotated regions (`gt`), a region is correct if it is that of the gold object. On detected regions (`det`), it is
correct if its IoU with the gold object's box is larger than a threshold, 0.5 in the paper. If the object has several
boxes (`boxes: any` of Flickr30k Entities), its overlap with a region is the largest IoU with any one of them.

Shape suffixes: K pairs of a region and a gold object, N regions, S gold objects, B boxes of an object; those of an
object with fewer boxes are empty, and an empty box overlaps nothing.
"""

from dataclasses import dataclass

import numpy as np

from jvgn.boxes import iou, paired_iou


@dataclass(frozen=True)
class Correctness:
    """Decides which regions are correct."""

    setting: str
    """`gt` or `det`, as the file of regions says."""
    iou_threshold: float = 0.5

    def of_pairs(
        self, box_K4: np.ndarray, object_K: np.ndarray, gold_box_KB4: np.ndarray, gold_K: np.ndarray
    ) -> np.ndarray:
        """Return (K,): whether each region is correct for its own gold object."""
        if self.setting == "gt":
            return object_K == gold_K
        return exceeds(paired_overlap(box_K4, gold_box_KB4), self.iou_threshold)

    def of_all(
        self, box_N4: np.ndarray, object_N: np.ndarray, gold_box_SB4: np.ndarray, gold_S: np.ndarray
    ) -> np.ndarray:
        """Return (N, S): whether each region is correct for each gold object."""
        if self.setting == "gt":
            return object_N[:, None] == gold_S[None, :]
        return exceeds(overlap(box_N4, gold_box_SB4), self.iou_threshold)


def overlap(box_N4: np.ndarray, gold_box_SB4: np.ndarray) -> np.ndarray:
    """Return (N, S): the largest IoU of each region with a box of each gold object."""
    objects, boxes, _ = gold_box_SB4.shape
    return iou(box_N4, gold_box_SB4).reshape(len(box_N4), objects, boxes).max(axis=2)


def paired_overlap(box_K4: np.ndarray, gold_box_KB4: np.ndarray) -> np.ndarray:
    """Return (K,): the largest IoU of each region with a box of its own gold object."""
    return np.max([paired_iou(box_K4, gold_box_KB4[:, index]) for index in range(gold_box_KB4.shape[1])], axis=0)


def exceeds(overlap: np.ndarray, iou_threshold: float) -> np.ndarray:
    """Return whether each IoU is large enough; the threshold itself is not."""
    return overlap > iou_threshold
