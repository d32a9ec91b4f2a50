"""Training a detector: on the right images, to the same bytes, through interruptions."""

import json
import logging
import os
import re
import signal
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn
from torchvision.models.detection._utils import BoxCoder

from jvgn.datasets.tables import IMAGES, OBJECTS
from jvgn.detector import faster_rcnn, training
from jvgn.detector.faster_rcnn import build_detector
from jvgn.detector.interface import untrained
from jvgn.detector.provenance import exclude_images, read_provenance
from jvgn.detector.training import Training, flip, learning_rate, order_batches, share, targets_of
from jvgn.detector.weights import load_detector
from jvgn.runtime.distributed import Processes, compute_in
from jvgn.settings.detector import TorchvisionSettings
from jvgn.storage.files import sha256
from jvgn.storage.parquet import read_table, write_table
from jvgn.storage.processes import Interrupted
from jvgn.storage.tensor_files import STATE_FORMAT
from parsers.errors import UserError
from tests.jvgn.drawing import CATEGORIES, SETTINGS, Drawn, draw, results_of, write_expressions
from tests.process_group import in_two_processes


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(trained, drawn, tmp_path):
    assert drawn.train(tmp_path / "again").read_bytes() == trained[1].read_bytes()
    assert (
        drawn.train(tmp_path / "other", SETTINGS.model_copy(update={"seed": 1})).read_bytes() != trained[1].read_bytes()
    )


def interrupt(drawn: Drawn, output: Path, settings: TorchvisionSettings) -> int:
    """Interrupt a training by an error in its second step; return the saved step."""
    learn = Training.learn

    def failing(self, *arguments):
        if self.step == 1:
            raise UserError("the disk failed")
        return learn(self, *arguments)

    with pytest.MonkeyPatch.context() as patches, pytest.raises(UserError, match="the disk failed"):
        patches.setattr(Training, "learn", failing)
        drawn.train(output, settings)
    assert [path.name for path in output.iterdir()] == ["detector.state.pt"]
    return torch.load(output / "detector.state.pt", weights_only=True)["step"]


def test_an_interrupted_training_resumes_to_the_same_bytes_with_other_libraries(
    trained, drawn, tmp_path, caplog, monkeypatch
):
    caplog.set_level("INFO")
    assert interrupt(drawn, tmp_path / "detector", SETTINGS) == 1
    monkeypatch.setattr(training, "version", lambda library: "0.0.1")
    assert drawn.train(tmp_path / "detector").read_bytes() == trained[1].read_bytes()
    assert "resuming from step 1" in caplog.text
    files = {"detector.safetensors", "provenance.json", "losses.parquet"}
    assert {path.name for path in (tmp_path / "detector").iterdir()} == files
    losses = [pd.read_parquet(folder / "losses.parquet") for folder in (trained[1].parent, tmp_path / "detector")]
    pd.testing.assert_frame_equal(*losses, check_exact=True)


@pytest.mark.parametrize("changed", ["settings", "format"])
def test_a_state_that_does_not_fit_is_kept(trained, drawn, tmp_path, caplog, monkeypatch, changed):
    settings = SETTINGS.model_copy(update={"learning_rate": 0.02} if changed == "settings" else {})
    interrupt(drawn, tmp_path / "detector", settings)
    saved = (tmp_path / "detector/detector.state.pt").read_bytes()
    if changed == "format":
        monkeypatch.setattr("jvgn.storage.tensor_files.STATE_FORMAT", STATE_FORMAT + 1)
    assert drawn.train(tmp_path / "detector").read_bytes() == trained[1].read_bytes()
    assert (tmp_path / "detector/detector.state.1.pt").read_bytes() == saved
    expected = (
        "detector.learning_rate (0.02, now 0.01)"
        if changed == "settings"
        else f"format ({STATE_FORMAT}, now {STATE_FORMAT + 1})"
    )
    assert f"saved with another {expected}; training starts again" in caplog.text


def test_every_loss_is_in_the_table_of_losses_the_log_and_tensorboard(drawn, tmp_path, caplog):
    caplog.set_level("INFO")
    drawn.train(tmp_path, tensorboard=tmp_path / "board")
    found = pd.read_parquet(tmp_path / "losses.parquet")
    parts = found[["class", "box", "objectness", "proposal"]]
    assert found["epoch"].tolist() == [1, 2] and (parts > 0).to_numpy().all()
    np.testing.assert_allclose(parts.sum(axis=1), found["loss"], rtol=1e-6)
    events = EventAccumulator(str(tmp_path / "board"))
    events.Reload()
    boxes = [event.value for event in events.Scalars("train/box")]
    np.testing.assert_allclose(np.reshape(boxes, (2, -1)).mean(axis=1), found["box"], rtol=1e-5)
    assert f"epoch 2: loss {found['loss'][1]:.5f} (class {found['class'][1]:.4f}, box " in caplog.text


def test_all_unreadable_images_are_named_before_the_first_step(drawn, tmp_path, monkeypatch):
    monkeypatch.delattr(Training, "learn")
    (drawn.folder / "20.png").write_text("not an image")
    (drawn.folder / "40.png").unlink()
    with pytest.raises(UserError, match=r"20\.png: cannot be read.*; .*40\.png: no such image"):
        drawn.train(tmp_path)


def test_the_weights_hold_their_settings_and_categories(trained):
    found = load_detector(trained[1])
    assert found.settings == SETTINGS
    assert dict(found.categories) == CATEGORIES
    assert not found.detector.training


def test_the_provenance_names_images_tables_and_weights(trained):
    data, weights = trained
    made = read_provenance(weights.parent / "provenance.json")
    assert made.training_image_ids == (10, 20, 30, 40)
    assert made.weights_sha256 == sha256(weights)
    assert made.tables["objects"] == sha256(data.tables["objects"])
    assert made.categories == tuple(CATEGORIES.items())
    assert json.loads((weights.parent / "provenance.json").read_text())["versions"].keys() == {"torch", "torchvision"}


def test_no_evaluation_image_of_any_dataset_is_trained_on(drawn, tmp_path):
    other = write_expressions(tmp_path / "other" / "expressions.parquet", {10: "testA", 20: "train", 40: "val"})
    exclude_images([drawn.expressions, other], tmp_path / "excluded.parquet")
    weights = drawn.train(tmp_path / "detector", excluded=tmp_path / "excluded.parquet")
    assert read_provenance(weights.parent / "provenance.json").training_image_ids == (20, 30)


def test_crowds_and_empty_boxes_are_not_targets(drawn):
    objects = read_table(drawn.tables["objects"], OBJECTS).to_pydict()
    objects["is_crowd"][0] = True
    objects["x2"][1] = objects["x1"][1]
    write_table(drawn.tables["objects"], objects, OBJECTS)
    targets = targets_of(
        *(read_table(drawn.tables[k], s) for k, s in (("images", IMAGES), ("objects", OBJECTS))), [3, 7]
    )
    assert [len(target["boxes"]) for target in targets] == [1, 3, 3, 3, 3]
    assert targets[1]["labels"].tolist() == [1, 2, 1]


def test_every_epoch_shows_every_image_once_and_wide_ones_apart():
    sizes = [(4, 3), (3, 4), (4, 3), (4, 3), (3, 4)]
    steps = order_batches(sizes, batch_size=2, epochs=3, seed=0)
    assert len(steps) == 9
    assert all(len({sizes[index] for index in batch}) == 1 for batch in steps)
    assert all(sorted(chain(*steps[first : first + 3])) == list(range(5)) for first in (0, 3, 6))


def test_a_flipped_box_holds_the_same_pixels_mirrored():
    image = torch.arange(3 * 4 * 6).reshape(3, 4, 6)
    mirrored, target = flip(image, {"boxes": torch.tensor([[1.0, 0, 3, 2]]), "labels": torch.tensor([2])})
    assert target["boxes"].tolist() == [[3, 0, 5, 2]]
    assert target["labels"].tolist() == [2]
    assert torch.equal(mirrored[:, 0:2, 3:5].flip(2), image[:, 0:2, 1:3])


def test_the_learning_rate_grows_then_falls():
    rates = [learning_rate(step, 100, 0.1, 9) for step in range(100)]
    assert rates[0] < rates[4] < rates[9]
    assert all(before > after for before, after in pairwise(rates[9:]))
    assert max(rates) == pytest.approx(0.1, rel=0.03)


def test_a_loader_with_workers_gives_the_same_weights_and_names_a_bad_image(trained, drawn, tmp_path, monkeypatch):
    monkeypatch.setattr("jvgn.detector.images.KEPT_BYTES", 0)
    assert drawn.train(tmp_path / "detector").read_bytes() == trained[1].read_bytes()
    (drawn.folder / "20.png").write_text("not an image")
    with pytest.raises(UserError, match=r"20\.png: cannot be read") as error:
        drawn.train(tmp_path / "detector")
    assert "\n" not in str(error.value)


def test_a_loss_that_is_not_finite_stops_the_training(drawn, tmp_path):
    with pytest.raises(UserError, match=r"the detector's loss is (nan|inf) at step"):
        drawn.train(tmp_path, SETTINGS.model_copy(update={"learning_rate": 1e30, "gradient_norm": 1e30, "warm_up": 0}))


def test_pretrained_layers_are_used(drawn, tmp_path):
    network = build_detector(SETTINGS, 2)
    state = network.state_dict()
    own = {name.replace("backbone.", "layers."): value for name, value in state.items() if name.startswith("backbone.")}
    own |= {n.replace("roi_heads.box_head.", "last_stage."): v for n, v in state.items() if "box_head" in n}
    torch.save(own, tmp_path / "tiny.pth")
    settings = SETTINGS.model_copy(update={"pretrained": str(tmp_path / "tiny.pth"), "learning_rate": 1e-12})
    found = load_detector(drawn.train(tmp_path / "detector", settings)).detector
    name = "colour.1.0.weight"
    torch.testing.assert_close(found.backbone.state_dict()[name], network.backbone.state_dict()[name])


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


def train_separably(drawn: Drawn, output: Path, precision: str = "float32") -> tuple[list[float], dict]:
    """Train a detector in which the images of a batch do not affect each other; return its losses and weights.

    Without random samples and batch statistics, the result must not depend on how a batch is split over processes.
    """
    every_sample = {"batch_size": 3, "anchor_samples": 10**4, "region_samples": 10**4, "learning_rate": 0.001}
    settings = SETTINGS.model_copy(update=every_sample | {"precision": precision})
    with pytest.MonkeyPatch.context() as patches, logging_to(output.with_suffix(".log")):
        patches.setattr(training, "untrained", untrained_without_statistics)
        drawn.train(output, settings)
    return found_in(output)


def found_in(output: Path) -> tuple[list[float], dict]:
    losses = re.findall(r"step \d+ of \d+: loss (\S+)", output.with_suffix(".log").read_text())
    return list(map(float, losses)), load_file(output / "detector.safetensors")


@contextmanager
def logging_to(file: Path):
    logger, handler = logging.getLogger("jvgn"), logging.FileHandler(file)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield
    logger.setLevel(logging.NOTSET)
    logger.removeHandler(handler)


@pytest.fixture(scope="module")
def spread(tmp_path_factory):
    """The same training by one process and by two: the losses and weights of each."""
    folder = tmp_path_factory.mktemp("spread")
    drawn = draw(folder / "drawn")
    in_two_processes(train_separably, drawn, folder / "together")
    return train_separably(drawn, folder / "alone"), found_in(folder / "together")


def test_two_processes_have_the_losses_of_one(spread):
    (alone, _), (together, _) = spread
    assert len(alone) == len(together) == 4 and len(set(alone)) == 4
    assert together == pytest.approx(alone, rel=0.01)


def test_two_processes_reach_the_weights_of_one(spread):
    (_, alone), (_, together) = spread
    for name, value in alone.items():
        torch.testing.assert_close(together[name], value, rtol=0.01, atol=1e-4)


def test_a_signal_saves_the_step_and_stops(trained, drawn, tmp_path, monkeypatch):
    learn = Training.learn

    def signalled(self, *arguments):
        if self.step == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return learn(self, *arguments)

    monkeypatch.setattr(Training, "learn", signalled)
    with pytest.raises(Interrupted, match="stopped by a signal after step 2; run it again to resume"):
        drawn.train(tmp_path)
    assert drawn.train(tmp_path).read_bytes() == trained[1].read_bytes()


def test_half_precision_gives_the_same_losses_up_to_rounding(spread, drawn, tmp_path):
    (expected, _), _ = spread
    losses, state = train_separably(drawn, tmp_path / "output", "bf16")
    assert losses == pytest.approx(expected, rel=0.05) and losses != expected
    assert {value.dtype for value in state.values()} == {torch.float32}


def test_half_precision_leaves_boxes_as_they_are(monkeypatch):
    """bfloat16 would round the corners of a box near pixel 512 to multiples of 4."""
    torch.manual_seed(0)
    settings = SETTINGS.model_copy(update={"short_side": 80, "long_side": 640, "batch_size": 1})
    network = untrained(settings, 2)
    gold_14 = torch.tensor([[513.0, 21, 543, 47]])
    pooled = results_of(monkeypatch, faster_rcnn, "roi_align")
    coded = results_of(monkeypatch, BoxCoder, "encode")
    convolved = results_of(monkeypatch, network.backbone.colour[1][0], "forward")
    compute_in("bf16", network.dense_parts)
    image = torch.randint(0, 256, (3, 80, 640), dtype=torch.uint8)
    losses = network.train()([image], [{"boxes": gold_14, "labels": torch.tensor([1])}])
    assert {loss.dtype for loss in losses.values()} == {torch.float32} and len(losses) == 4
    ((arguments, _),), ((_, map_1CHW),) = pooled, convolved
    (proposal_N4,) = arguments[1]
    assert map_1CHW.dtype == torch.bfloat16 and proposal_N4.dtype == torch.float32
    assert (proposal_N4 == gold_14).all(1).any()  # a gold box is a proposal too
    assert len(coded) == 2  # of the anchors and of the proposals
    for (_, *boxes), targets in coded:
        assert {box_N4.dtype for parts in (*boxes, targets) for box_N4 in parts} == {torch.float32}


def test_the_shares_of_all_processes_make_up_the_batch():
    for size in (1, 2, 5, 8):
        shares = [share(Processes(torch.device("cpu"), rank, 3), size) for rank in range(3)]
        assert sum(part.weight for part in shares) == pytest.approx(1)
        assert sorted(chain(*(part.positions for part in shares if part.weight))) == list(range(size))
        assert all(part.positions for part in shares)
