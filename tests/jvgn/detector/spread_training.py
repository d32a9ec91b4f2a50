"""A script for torchrun: trains a detector in which the images of a batch do not affect each other.

Without random samples and batch statistics, the result must not depend on how a batch is split over processes.
"""

import logging
import sys
from pathlib import Path

from torch import nn

from jvgn.detector import training
from jvgn.detector.interface import untrained
from tests.jvgn.drawing import SETTINGS, Drawn


class Still(nn.Module):
    """Identity, in the place of batch normalisation."""

    def forward(self, x):
        return x


def untrained_without_statistics(settings, class_count):
    network = untrained(settings, class_count)
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.BatchNorm1d | nn.BatchNorm2d):
                setattr(module, name, Still())
    return network


def train(root, output, precision):
    every_sample = {"batch_size": 3, "anchor_samples": 10**4, "region_samples": 10**4, "learning_rate": 0.001}
    Drawn(Path(root)).train(Path(output), SETTINGS.model_copy(update=every_sample | {"precision": precision}))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    training.untrained = untrained_without_statistics
    train(*sys.argv[1:])
