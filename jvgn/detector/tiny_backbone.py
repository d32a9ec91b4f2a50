"""A residual network for small drawn images, small enough to train on two CPU cores.

It is trained to tell shapes apart, and would learn to ignore colours, which sentences mention too. So a branch of its
own carries colours from the pixels to the region feature.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate

STRIDE = 4
DEEP_SIZE, COLOUR_SIZE = 40, 20
MAP_SIZE = DEEP_SIZE + COLOUR_SIZE
FEATURE_SIZE = 128


def convolution(inputs: int, outputs: int, cells: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, cells, stride, padding=cells // 2, bias=False), nn.BatchNorm2d(outputs)
    )


class Residual(nn.Module):
    """Two 3x3 convolutions beside a shortcut, at half the resolution."""

    def __init__(self, inputs: int, inner: int, outputs: int) -> None:
        super().__init__()
        self.residual = nn.Sequential(
            convolution(inputs, inner, 3, stride=2), nn.ReLU(inplace=True), convolution(inner, outputs, 3)
        )
        self.shortcut = convolution(inputs, outputs, 1, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        return (self.residual(x) + self.shortcut(x)).relu()


class Layers(nn.Module):
    """The map, 4 pixels per cell: appearance of the cell and its wide surroundings, then the cell's own colour."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(
            convolution(3, 24, 3, stride=2), nn.ReLU(inplace=True), Residual(24, DEEP_SIZE, DEEP_SIZE)
        )
        self.coarse = nn.Sequential(Residual(DEEP_SIZE, 64, 64), convolution(64, DEEP_SIZE, 1))
        self.colour = nn.Sequential(
            nn.AvgPool2d(STRIDE, ceil_mode=True), convolution(3, COLOUR_SIZE, 1), nn.ReLU(inplace=True)
        )

    def forward(self, images: Tensor) -> Tensor:
        fine = self.fine(images)
        height, width = fine.shape[-2:]
        coarse = interpolate(self.coarse(fine), scale_factor=2.0)[..., :height, :width]
        return torch.cat([(fine + coarse).relu(), self.colour(images)], dim=1)


class LastStage(nn.Module):
    """Turns a pooled region into one vector: the mean of a residual stage, then the mean colour."""

    def __init__(self) -> None:
        super().__init__()
        self.stage = Residual(MAP_SIZE, 64, FEATURE_SIZE - COLOUR_SIZE)
        # Gives each dimension of the feature unit variance, whatever the stage learns.
        self.scale = nn.BatchNorm1d(FEATURE_SIZE, affine=False)

    def forward(self, pooled: Tensor) -> Tensor:
        means = [part.mean(dim=(2, 3)) for part in (self.stage(pooled), pooled[:, DEEP_SIZE:])]
        return self.scale(torch.cat(means, dim=1))


class TinyNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = Layers()
        self.last_stage = LastStage()
