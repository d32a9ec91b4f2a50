"""`jvgn plan`: its counts against real networks, and what it prints about files that exist or are missing."""

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch.utils.flop_counter import FlopCounterMode

from jvgn.cli import main
from jvgn.detector.faster_rcnn import build_detector
from jvgn.planning.experiment import Experiment
from jvgn.planning.operations import BACK, ModelWork, PaddedBatch, detector_work
from jvgn.planning.plan import plan
from jvgn.planning.resources import REQUESTS
from jvgn.planning.stages import stages_of
from jvgn.settings.configuration import read_configuration
from jvgn.settings.detector import TorchvisionSettings
from jvgn.training.checkpoint import new_model
from jvgn.vocabulary.words import Vocabulary, read_vectors

ROOT = Path(__file__).parents[3]


def operations(work):
    # The library for CPUs would run a whole LSTM as one, uncounted.
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def test_the_models_operations_are_those_of_a_real_mini_batch(small_world, run_settings):
    settings = run_settings()
    examples = small_world.examples(settings)
    vectors = read_vectors(small_world.vectors, Vocabulary.read(small_world.words))
    model = new_model(settings, vectors, examples.store.feature_size)
    rows = examples.rows_by_image("train")
    batch = examples.batch({image: rows[image] for image in list(rows)[:8]})
    images, regions = batch.present_IN.shape
    padded = PaddedBatch(
        images=images,
        regions=regions,
        words=batch.word_RT.numel(),
        nodes=images * int(batch.image_K.bincount().max()),
        edges=images * int(batch.image_E.bincount().max()),
    )
    work = ModelWork(settings.model, *vectors.shape, examples.store.feature_size)
    assert work.weight_bytes == sum(value.numel() * 4 for value in model.parameters())
    forward = operations(lambda: model.log_probability(batch, batch.referent_S, marginalise=True))
    both = operations(
        lambda: model.log_probability(batch, batch.referent_S, marginalise=True)[batch.right_SN].sum().backward()
    )
    assert work.forward(padded) == pytest.approx(forward, rel=0.02)
    assert (1 + BACK) * work.forward(padded) == pytest.approx(both, rel=0.1)


def test_the_detectors_operations_are_those_of_a_real_step():
    settings = TorchvisionSettings(
        backbone="tiny", short_side=144, long_side=192, anchor_sizes=(18, 33), anchor_ratios=(1.0,), region_samples=32
    )
    torch.manual_seed(0)
    detector, counted = build_detector(settings, 7), detector_work(settings, 7)
    image = torch.randint(0, 256, (3, 144, 192), dtype=torch.uint8)
    target = {"boxes": torch.tensor([[10.0, 10, 40, 40], [60, 50, 90, 80]]), "labels": torch.tensor([1, 2])}
    found = operations(lambda: sum(detector.train()([image], [target]).values()).backward())
    assert counted.train_image == pytest.approx(found, rel=0.05)
    assert counted.weight_bytes == sum(value.numel() * value.element_size() for value in detector.state_dict().values())


def test_frozen_layers_have_no_backward_pass():
    sides = {"backbone": "resnet101", "short_side": 96, "long_side": 128, "region_samples": 4}
    free = detector_work(TorchvisionSettings(**sides), 80)
    frozen = detector_work(TorchvisionSettings(**sides, pretrained="weights.pth"), 80)
    assert frozen.feature_size == 2048 and frozen.image == free.image
    assert frozen.train_image < free.train_image and frozen.train_bytes < free.train_bytes


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Return a function that runs `jvgn plan` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, config=ROOT / "config.yaml"):
        return CliRunner().invoke(main, ["plan", f"--config={config}", *arguments])

    return run


def cells(output, stage):
    (line,) = [line for line in output.splitlines() if line.startswith(stage)]
    return line.split()


def place(*files):
    for file in files:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()


def test_the_papers_experiment_is_planned_without_any_data(planned):
    found = planned("refcocog_det")
    assert found.exit_code == 0, found.output
    for stage in ("download coco-images", "train the detector", "extract regions", "train the model", "still to do"):
        assert cells(found.output, stage)
    assert "13.5 GB" in found.output and "80,512 expressions, 20 epochs" in found.output
    assert "10 tera-operations a second" in found.output and "(published)" in found.output
    hours = float(cells(found.output, "still to do")[-1])
    faster = planned("refcocog_det", "--throughput=20")
    assert float(cells(faster.output, "still to do")[-1]) == pytest.approx(hours / 2, abs=0.02)


def test_finished_stages_are_shown_and_not_added_up(planned):
    folder = "results/detectors/coco/resnet101"
    place(f"{folder}/weights.safetensors", f"{folder}/provenance.json", "results/graphs/refcocog/lexical/nodes.parquet")
    place("resources/downloads/glove.840B.300d.zip")
    found = planned("refcocog_gt").output
    assert cells(found, "train the detector")[3] == "done"
    assert cells(found, "parse expressions")[2:5] == ["1", "of", "2"]
    assert "already downloaded" in " ".join(cells(found, "download glove"))
    assert float(cells(found, "still to do")[-1]) < 2  # without the detector's training, hours are left


def test_the_world_is_planned_from_its_settings(planned):
    found = planned("shapes_gt")
    assert found.exit_code == 0, found.output
    assert "6,400 train, 960 val, 1,760 test, 600 adv (set in config.yaml)" in found.output
    assert "download" not in found.output.split("State:")[0].replace("download     disk", "")


@pytest.mark.parametrize(("name", "parse"), [("refcocog", "parse_shard"), ("shapes", "parse_expressions")])
def test_memory_is_known_for_every_stage_but_parsing_which_depends_on_the_parser(name, parse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    experiment = Experiment(read_configuration(ROOT / "config.yaml"), name, "det")
    rules = [stage.rule for stage in stages_of(experiment) if stage.rule]
    assert [rule for rule in rules if REQUESTS[rule].megabytes is None] == [parse]
    (line,) = [line for line in plan(experiment, throughput=10) if line.startswith("train the model")]
    assert "16 GB" in line


def test_a_run_of_both_weighs_its_rules_before_its_training(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("both.yaml").write_text("runs: {both: {potentials: both}}")
    experiment = Experiment(read_configuration(ROOT / "config.yaml", Path("both.yaml")), "shapes", "gt", "both")
    rules = [stage.rule for stage in stages_of(experiment)]
    assert rules[-3:] == ["weigh_rules", "train", "predict"]
