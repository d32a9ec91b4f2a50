"""The explorer's server without a browser, a detector or a training: a small model with random weights."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from flask.testing import FlaskClient
from PIL import Image

from jvgn.datasets import tables
from jvgn.grounding.grounder import Grounder
from jvgn.regions.hdf5_store import Regions
from jvgn.settings.detector import RegionSettings
from jvgn.storage.parquet import write_table
from jvgn.training.checkpoint import TrainedModel, new_model
from jvgn.views.explorer.image_list import ImageList
from jvgn.views.explorer.server import explorer
from parsers.parser import Parser

WORDS = ["<pad>", "<unk>", "cup", "box", "on", "left", "of", "disc", "red", "the"]
PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"


class RegionsByCorner:
    """In the place of a detector: three regions, whose features depend on the image's first pixel and its size."""

    settings = RegionSettings()

    def regions_of(self, images):
        return [self.regions(image) for image in images]

    def regions(self, image):
        height, width = image.shape[1:]
        box = np.array([[0, 0, width / 2, height / 2], [1, 1, width, height], [width / 3, 0, width, 9]], np.float32)
        feature = np.random.default_rng(int(image[0, 0, 0])).normal(size=(len(box), 4)).astype(np.float32)
        rest = (np.ones(len(box), np.float32), np.ones(len(box), np.int32), np.full(len(box), -1))
        return Regions(box, feature, *rest)


@pytest.fixture
def grounder(run_settings):
    torch.manual_seed(0)
    settings = run_settings()
    vectors = np.random.default_rng(1).normal(size=(len(WORDS), 6)).astype(np.float32)
    model = new_model(settings, vectors, 4).eval()
    trained = TrainedModel(Path("model"), model, settings, 4, WORDS)
    return Grounder(trained, RegionsByCorner, Parser("lexical"), torch.device("cpu"))


@pytest.fixture
def pictures(grounder, tmp_path):
    """Image 7 is evaluated on; image 8 is in the train split."""
    images = {"image_id": [7, 8], "file_name": ["7.png", "8.png"], "width": [48, 48], "height": [40, 40]}
    write_table(tmp_path / "images.parquet", images, tables.IMAGES)
    texts = ["the cup on a box", "red <b>disc</b>", "the cup"]
    columns = {
        "expression_id": [1, 2, 3],
        "ref_id": [1, 2, 3],
        "image_id": [7, 7, 8],
        "object_id": [1, 2, 3],
        "split": ["val", "test", "train"],
        "text": texts,
        "tokens": [text.split() for text in texts],
    }
    write_table(tmp_path / "expressions.parquet", columns, tables.EXPRESSIONS)
    Image.new("RGB", (48, 40), (9, 0, 0)).save(tmp_path / "7.png")
    return ImageList.of_dataset(grounder, tmp_path, tmp_path)


class OwnPage(FlaskClient):
    """Asks as the explorer's own page does."""

    def open(self, *args, **options):
        return super().open(*args, **({"base_url": ORIGIN} | options))


@pytest.fixture
def client(grounder, pictures):
    app = explorer("a run", grounder, pictures, PORT)
    app.test_client_class = OwnPage
    client = app.test_client()
    client.environ_base["HTTP_ORIGIN"] = ORIGIN
    return client


@pytest.fixture
def encoded():
    """A picture as the bytes of a file."""

    def encode(size=(60, 30), colour=(3, 0, 0), kind="PNG", **options):
        written = io.BytesIO()
        Image.new("RGB", size, colour).save(written, kind, **options)
        return written.getvalue()

    return encode
