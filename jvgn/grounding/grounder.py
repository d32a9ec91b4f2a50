"""`Grounder`: take or detect the regions of an image, parse a sentence, and find every object that it mentions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Self

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

from jvgn.datasets.tables import category_names
from jvgn.detector.images import as_tensor, read_image, slimness
from jvgn.detector.interface import load_source
from jvgn.graphs.parsing import read_parser
from jvgn.grounding.answer import Answer, Grounding
from jvgn.grounding.answerer import Answerer, ImageRegions, Question
from jvgn.grounding.questions import answered_in_order
from jvgn.grounding.run_folder import RunFolder
from jvgn.grounding.stored_regions import StoredRegions
from jvgn.regions.annotated import Annotations
from jvgn.regions.extraction import Extractor, flaw_in
from jvgn.regions.hdf5_store import Regions
from jvgn.settings.detector import RegionSettings, read_detector_settings
from jvgn.storage.pictures import as_rgb
from jvgn.storage.records import check_unchanged
from jvgn.training.checkpoint import TrainedModel, load_model
from parsers import parse
from parsers.errors import UserError
from parsers.parser import Parser
from parsers.scene_graph import SceneGraph

Picture = Path | str | Image.Image | ImageRegions
"""An image, or the regions that `Grounder.look` found in one."""


class Grounder:
    """A trained run, with its parser, its stored regions and its detector, which is loaded for the first new image."""

    def __init__(
        self,
        trained: TrainedModel,
        load_extractor: Callable[[], Extractor],
        parser: Parser,
        device: torch.device,
        stored: StoredRegions | None = None,
        names: Mapping[int, str] | None = None,
    ) -> None:
        """`names` are those of the dataset's categories, which a run with `potentials: both` needs."""
        self.trained, self.load_extractor, self.parser, self.device = trained, load_extractor, parser, device
        self.stored = stored
        self.answerer = Answerer(trained, device, names)

    @classmethod
    def load(
        cls, run: Path | str, device: str = "cpu", parser: Parser | None = None, images: Path | None = None
    ) -> Self:
        """Load the run in a folder such as `results/shapes_det`, with its detector and parser from the same results.

        `images` is the folder of the dataset's images, if not the one in `config.yaml`.
        """
        found = RunFolder.find(run)
        trained = load_model(found.model, torch.device(device))
        stored = StoredRegions.of(found, trained.settings.detector, images)
        if not stored.exist():
            found.check_detection(trained.settings.detector)  # now, not at the first image
        own_parser = parser or read_parser(found.graphs(trained.settings.parser) / "settings.yaml")
        own_parser.load()  # report a missing model now, not at the first sentence
        names = category_names(found.table("objects")) if trained.settings.potentials == "both" else None
        load_extractor = partial(extractor_of, found, trained, device)
        return cls(trained, load_extractor, own_parser, torch.device(device), stored, names)

    @cached_property
    def extractor(self) -> Extractor:
        return self.load_extractor()

    def ground(self, image: Picture, text: str | SceneGraph) -> list[Grounding]:
        """Return a box and its probability for every object that `text` mentions, in the order of mention."""
        return self.answer(image, text).groundings

    def answer(self, image: Picture, text: str | SceneGraph, best: int = 0) -> Answer:
        """Return the run's beliefs about a sentence or a scene graph, with the `best` joint groundings."""
        question = self.question(image, text)
        written = text if isinstance(text, str) else " ".join(text.tokens)
        return self.answerer.answer(question, written, best)

    def answers(self, asked: Sequence[tuple[Path | str, str]], best: int = 0) -> Iterator[Answer | UserError]:
        """Yield the answer to each image and sentence, in their order. Each image is opened once.

        A question that cannot be answered yields its error, so that the others are still answered.
        """
        return answered_in_order(asked, self.look, partial(self.answer, best=best))

    def look(self, image: Path | str | Image.Image) -> ImageRegions:
        """Return the regions of an image, for any number of sentences.

        A file of the run's dataset has the stored regions. Another image is turned as its camera noted, and its regions
        are detected.
        """
        if isinstance(image, Image.Image):
            return self.detected(as_tensor(as_rgb(ImageOps.exif_transpose(image))), "this image")
        file = Path(image)
        if self.stored is not None and self.stored.may_have(file):
            pixels_3HW = read_image(file)  # as stored, because the regions refer to stored pixels
            image_id = self.stored.image_id(file, size_of(pixels_3HW))
            if image_id is not None:
                self.trained.check_features(self.stored.store.feature_size)
                return image_regions(pixels_3HW, self.stored.store.read(image_id), image_id)
        return self.detected(read_image(file, as_seen=True), str(image))

    def detected(self, pixels_3HW: Tensor, name: str) -> ImageRegions:
        if slim := slimness(pixels_3HW):
            raise UserError(f"{name} {slim}; cut it into pieces")
        (regions,) = self.extractor.regions_of([pixels_3HW])
        if flaw := flaw_in(regions, self.extractor.settings.precision):
            raise UserError(f"{name} {flaw}; try another one")
        return image_regions(pixels_3HW, regions)

    def look_at(self, image: Path, box_N4: np.ndarray) -> ImageRegions:
        """Return given boxes of an image as regions, with the features of the run's detector."""
        if self.trained.settings.potentials == "both":
            problem = "its rules need the categories of regions, which given boxes lack"
            raise UserError(f"{self.trained.path}: {problem}; choose a run with `potentials: network`")
        pixels_3HW = read_image(image)
        nothing_N = np.full(len(box_N4), -1)
        (regions,) = self.extractor.regions_of([pixels_3HW], [Annotations(box_N4, nothing_N, nothing_N)])
        return ImageRegions((pixels_3HW.shape[2], pixels_3HW.shape[1]), regions, pixels_3HW.permute(1, 2, 0).numpy())

    def question(self, image: Picture, text: str | SceneGraph) -> Question:
        graph = self.graph(text) if isinstance(text, str) else text
        return self.answerer.question(image if isinstance(image, ImageRegions) else self.look(image), graph)

    def graph(self, text: str) -> SceneGraph:
        if not text.strip():
            raise UserError("the sentence is empty; give some words")
        return parse(text, backend=self.parser.backend, **self.parser.options)


def extractor_of(run: RunFolder, trained: TrainedModel, device: str) -> Extractor:
    """Load the detector of a run."""
    run.check_detection(trained.settings.detector)
    settings = RegionSettings.read(run.detection_settings())
    folder = run.detector(trained.settings.detector)
    check_unchanged(folder / "settings.yaml", folder / "weights.safetensors")
    chosen = read_detector_settings(folder / "settings.yaml")
    extractor = Extractor(load_source(chosen, folder / "weights.safetensors", settings.proposals), settings, device)
    trained.check_features(extractor.feature_size)
    return extractor


def image_regions(pixels_3HW: Tensor, regions: Regions, stored_image_id: int | None = None) -> ImageRegions:
    return ImageRegions(size_of(pixels_3HW), regions, pixels_3HW.permute(1, 2, 0).numpy(), stored_image_id)


def size_of(pixels_3HW: Tensor) -> tuple[int, int]:
    """Return width and height."""
    return pixels_3HW.shape[2], pixels_3HW.shape[1]
