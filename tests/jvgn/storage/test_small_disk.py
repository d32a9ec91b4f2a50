"""Whatever library writes to a disk that is too small, what is said of it is the same, and nothing is left there."""

import resource

import numpy as np
import pyarrow as pa
import pytest
import torch

from jvgn.detector.weights import save_detector
from jvgn.regions.store import Regions, RegionWriter
from jvgn.runtime.resume import TrainingState
from jvgn.settings.detector import TorchvisionSettings
from jvgn.storage.parquet import write_table
from jvgn.vocabulary.glove import build_vectors
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError
from tests.long.faults.disks import may_mount, mount, small_disk

BYTES = 3_000_000


@pytest.fixture
def noise():
    """Nothing makes it smaller."""
    return np.random.default_rng(0).integers(0, 256, BYTES, dtype=np.uint8)


def write_regions(path, noise):
    feature = noise.view(np.float16).reshape(-1, 10, 1000)
    with RegionWriter(path, 1000, "float16", {}) as writer:
        for image_id, rows in enumerate(feature):
            ones = np.ones(10, int)
            writer.append(image_id, Regions(np.ones((10, 4)), rows, score=ones, label=ones, object_id=ones))


def write_weights(path, noise):
    save_detector(path, {"weight": torch.from_numpy(noise)}, TorchvisionSettings(source="torchvision"), [])


def write_state(path, noise):
    TrainingState(path, "jvgn.training.run").save(weight=torch.from_numpy(noise))


def write_rows(path, noise):
    write_table(path, {"number": noise.view(np.int64)}, pa.schema([("number", pa.int64())]))


def write_array(path, noise):
    build_vectors(Vocabulary([str(word) for word in range(BYTES // 400)]), path, size=100, glove=None, seed=0)


WRITERS = pytest.mark.parametrize(
    ("write", "name"),
    [
        (write_regions, "regions.h5"),
        (write_weights, "weights.safetensors"),
        (write_state, "state.pt"),
        (write_rows, "table.parquet"),
        (write_array, "vectors.npy"),
    ],
)


@pytest.mark.skipif(not may_mount(), reason="only root may mount a small disk")
@pytest.mark.parametrize("size", [400_000, 1_300_000, BYTES - 100_000])
@WRITERS
def test_a_disk_that_is_too_small_is_told_of(tmp_path, noise, write, name, size):
    with small_disk(tmp_path / "disk"):
        mount("-o", f"remount,size={size}", tmp_path / "disk")
        with pytest.raises(UserError, match=rf"{name}: cannot be written \(No space left on device\); see to the disk"):
            write(tmp_path / "disk" / name, noise)
        assert [*(tmp_path / "disk").iterdir()] == []


@pytest.fixture
def limited():
    """No file may have more than a megabyte, as where a user's share of the disk is used up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@WRITERS
def test_a_limit_that_is_reached_is_told_of_though_the_disk_has_room(tmp_path, noise, limited, write, name):
    with pytest.raises(UserError, match=rf"{name}: cannot be written \(File too large\); see to the disk"):
        write(tmp_path / name, noise)
    assert [*tmp_path.iterdir()] == []
