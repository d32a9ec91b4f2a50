"""Regions for the rules: from a picture and a scene graph to a scene.

A finder looks at a picture once, for any number of sentences. Given regions and detectors with a closed vocabulary know
the scene from the picture alone; detectors with an open vocabulary look for the phrases of the graph.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image

from jvgn.rules.scene import Scene
from parsers.scene_graph import SceneGraph

Picture = Path | Image.Image
"""A file, or an opened picture in RGB."""


@dataclass(frozen=True)
class SeenPicture:
    """A picture that a finder has looked at."""

    pixels_HW3: np.ndarray
    """RGB, uint8, as people see it: boxes are in its pixels."""
    scene: Callable[[SceneGraph], Scene]
    """Return the regions of the picture for a sentence."""


class SceneFinder(Protocol):
    """Finds the regions of pictures: a detector, or a file of regions."""

    @property
    def name(self) -> str:
        """Where regions come from, for people: `torchvision-coco`, the name of a model or the path of a file."""

    def look(self, picture: Picture) -> SeenPicture: ...
