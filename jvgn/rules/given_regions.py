"""Regions that are given as files: annotations in COCO's format, or a detector's results on the same images."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jvgn.boxes import area, xyxy_from_xywh
from jvgn.datasets.coco import Annotation, Detection, Image, read_instances, read_results
from jvgn.rules.scene import Scene, without_duplicates
from jvgn.rules.scene_finder import Picture, SeenPicture
from jvgn.storage.pictures import read_picture
from parsers.errors import UserError

FIX = "fix the file"
NMS = 0.45
"""Of two detections of a category that overlap more, the one with the lower score is dropped."""
LEAST_SCORE = 0.3
"""Detections with a lower score are dropped."""


@dataclass(frozen=True)
class GivenRegions:
    """The images of a file of annotations, and their regions: annotated objects, or detections if they are given."""

    path: Path
    """The file of the regions."""
    images: dict[int, Image]
    categories: dict[int, str]
    objects: dict[int, Annotation]
    """Annotations by id."""
    regions: dict[int, list[Annotation | Detection]]
    """By image. Crowds are left out."""

    @classmethod
    def read(cls, annotations: Path, detections: Path | None = None) -> "GivenRegions":
        instances = read_instances(annotations, FIX)
        images = {image.id: image for image in instances.images}
        categories = {category.id: category.name for category in instances.categories}
        path = detections or annotations
        found: list[Annotation | Detection] = [
            *(instances.annotations if detections is None else read_results(detections, FIX))
        ]
        regions: dict[int, list[Annotation | Detection]] = defaultdict(list)
        for one in found:
            if one.image_id not in images or one.category_id not in categories:
                wrong = f"image {one.image_id}" if one.image_id not in images else f"category {one.category_id}"
                raise UserError(f"{path}: has a box of {wrong}, which {annotations} does not have; {FIX}")
            if not getattr(one, "iscrowd", 0):
                regions[one.image_id].append(one)
        return cls(path, images, categories, {note.id: note for note in instances.annotations}, dict(regions))

    @property
    def name(self) -> str:
        return str(self.path)

    def look(self, picture: Picture) -> SeenPicture:
        """Return the picture with its regions, which it has by its file name."""
        if not isinstance(picture, Path):
            raise UserError(f"{self.path}: its regions belong to files, but an opened image was given; give its path")
        scene = self.scene(self.named(picture.name), picture)
        assert scene.pixels_HW3 is not None
        return SeenPicture(scene.pixels_HW3, lambda _: scene)

    def named(self, file_name: str) -> Image:
        """Return the image of a file name."""
        for image in self.images.values():
            if Path(image.file_name).name == file_name:
                return image
        raise UserError(f"{self.path}: has no image {file_name}; give a file with its regions")

    def scene(self, image: Image, picture: Path | None) -> Scene:
        """Return the regions of an image, with its pixels if a picture is given."""
        listed = self.regions.get(image.id, [])
        box_N4 = xyxy_from_xywh([one.bbox for one in listed])
        has_area_N = area(box_N4) > 0
        names = tuple(self.categories[one.category_id] for one, keep in zip(listed, has_area_N, strict=True) if keep)
        score_N = np.array([getattr(one, "score", 1.0) for one in listed])[has_area_N]
        pixels_HW3 = None if picture is None else np.asarray(read_picture(picture))
        if pixels_HW3 is not None and pixels_HW3.shape[:2] != (image.height, image.width):
            size = f"{pixels_HW3.shape[1]} x {pixels_HW3.shape[0]}"
            raise UserError(f"{picture}: has {size} pixels, but {self.path} says {image.width} x {image.height}; {FIX}")
        scene = Scene(box_N4[has_area_N], names, score_N, (image.width, image.height), pixels_HW3)
        is_detected = any(isinstance(one, Detection) for one in listed)
        return without_duplicates(scene, NMS, LEAST_SCORE) if is_detected else scene

    def all_boxes(self, image_id: int) -> np.ndarray:
        """Return the boxes of all regions of an image, duplicates included."""
        return xyxy_from_xywh([one.bbox for one in self.regions.get(image_id, [])])

    def box(self, annotation: int) -> np.ndarray:
        return xyxy_from_xywh(self.objects[annotation].bbox)[0]
