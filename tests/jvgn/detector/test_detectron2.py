"""detectron2's detectors: the regions of a direct call, and training by our own rules."""

import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from jvgn.detector.given_weights import adopt_detector
from jvgn.detector.images import read_image
from jvgn.detector.interface import load_source
from jvgn.detector.leakage_proof import prove_disjoint
from jvgn.detector.provenance import read_provenance
from jvgn.regions.hdf5_store import RegionStore
from jvgn.runtime.distributed import compute_in
from jvgn.settings.detector import Detectron2Settings, RegionSettings
from parsers.errors import UserError
from tests.jvgn.detector.test_training import interrupt
from tests.jvgn.drawing import CATEGORIES, Drawn, draw, results_of

pytest.importorskip("detectron2", reason="detectron2 is not installed: conda-forge has it")

from detectron2.config import get_cfg
from detectron2.data import DatasetMapper
from detectron2.data.transforms import ResizeShortestEdge
from detectron2.engine import DefaultPredictor
from detectron2.layers import ROIAlign
from detectron2.modeling.box_regression import Box2BoxTransform
from detectron2.structures import Boxes, Instances
from detectron2.utils.events import EventStorage

from jvgn.detector.detectron2_backend import MODEL_ZOO, start_detectron2

COCO128 = Path(os.environ.get("JVGN_SHARED", "../shared")) / "data/coco128/images"
SMALL = Detectron2Settings(
    source="detectron2",
    config="COCO-Detection/faster_rcnn_R_50_C4_1x.yaml",
    short_side=96,
    long_side=160,
    test_proposals=30,
    epochs=2,
    batch_size=2,
    warm_up=1,
    save_every=1,
)
R101 = SMALL.model_copy(
    update={"config": "COCO-Detection/faster_rcnn_R_101_C4_3x.yaml", "short_side": 160, "long_side": 256}
)
SELECTION = RegionSettings(score=0.05, cap=10, precision="float32")


def random_state(settings):
    """Weights for COCO's categories: random, but such that boxes come out."""
    torch.manual_seed(0)
    network = start_detectron2(settings, 80)
    for name, module in network.named_modules():
        if name.endswith("conv3.norm"):
            module.weight.mul_(0.1)  # random residuals that add up would drown the regression
    return network.model.state_dict()


def adopted(folder, settings, content, name="model.pth"):
    """Given weights, in detectron2's own format, taken over."""
    path = folder / name
    if name.endswith(".pkl"):
        path.write_bytes(pickle.dumps(content))
    else:
        torch.save(content, path)
    settings = settings.model_copy(update={"weights": str(path)})
    adopt_detector(settings, folder / "weights.safetensors", folder / "provenance.json")
    return settings, folder / "weights.safetensors"


@pytest.fixture(scope="module")
def r101(tmp_path_factory):
    return adopted(tmp_path_factory.mktemp("r101"), R101, {"model": random_state(R101)})


@pytest.fixture(scope="module")
def direct(r101):
    """detectron2's own predictor with the same weights, selecting as ours does."""
    settings, _ = r101
    config = get_cfg()
    config.merge_from_file(str(MODEL_ZOO / settings.config))
    config.MODEL.DEVICE, config.MODEL.WEIGHTS = "cpu", settings.weights
    config.INPUT.MIN_SIZE_TEST, config.INPUT.MAX_SIZE_TEST = settings.short_side, settings.long_side
    config.MODEL.RPN.PRE_NMS_TOPK_TEST, config.MODEL.RPN.POST_NMS_TOPK_TEST = 180, 30
    config.MODEL.ROI_HEADS.SCORE_THRESH_TEST, config.MODEL.ROI_HEADS.NMS_THRESH_TEST = 0.05, 0.3
    config.TEST.DETECTIONS_PER_IMAGE = 10
    return DefaultPredictor(config)


def res5_means(predictor, path, box_N4):
    """The plain definition: the image as detectron2's predictor sees it, res5 of the pooled boxes, their mean."""
    pixels_HW3 = np.asarray(Image.open(path).convert("RGB"))[:, :, ::-1]
    seen_HW3 = predictor.aug.get_transform(pixels_HW3).apply_image(pixels_HW3)
    scale_4 = torch.tensor([seen_HW3.shape[1] / pixels_HW3.shape[1], seen_HW3.shape[0] / pixels_HW3.shape[0]] * 2)
    with torch.no_grad():
        image = torch.as_tensor(seen_HW3.astype("float32").transpose(2, 0, 1))
        maps = predictor.model.backbone(predictor.model.preprocess_image([{"image": image}]).tensor)
        heads = predictor.model.roi_heads
        return heads._shared_roi_transform([maps["res4"]], [Boxes(box_N4 * scale_4)]).mean(dim=[2, 3])


@pytest.mark.skipif(not COCO128.is_dir(), reason="no COCO images: set JVGN_SHARED")
@pytest.mark.parametrize("index", [0, 40, 90])
def test_boxes_and_features_are_those_of_a_direct_call(r101, direct, index):
    path = sorted(COCO128.glob("*.jpg"))[index]
    source = load_source(*r101)
    (found,) = source.regions_of([read_image(path)], SELECTION)
    expected = direct(np.asarray(Image.open(path).convert("RGB"))[:, :, ::-1])["instances"]
    assert source.feature_size == found.feature.shape[1] == 2048 and len(found.box) > 3
    torch.testing.assert_close(found.box, expected.pred_boxes.tensor, rtol=0, atol=1e-4)
    torch.testing.assert_close(found.score, expected.scores, rtol=0, atol=1e-4)
    assert torch.equal(found.label, expected.pred_classes + 1)
    torch.testing.assert_close(found.feature, res5_means(direct, path, found.box), rtol=0, atol=1e-4)
    given_N4 = torch.tensor([[0.0, 0, 50, 60], [10, 20, 100, 90]])
    (feature,) = source.features_of([read_image(path)], [given_N4])
    torch.testing.assert_close(feature, res5_means(direct, path, given_N4), rtol=0, atol=1e-4)


def test_coco_categories_keep_their_ids(r101):
    categories = load_source(*r101).categories
    assert len(categories) == 80 and categories[0] == (1, "person") and categories[-1] == (90, "toothbrush")


def test_an_image_without_proposals_has_no_regions(r101, monkeypatch):
    source = load_source(*r101)
    none = Instances((96, 128), proposal_boxes=Boxes(torch.zeros(0, 4)), objectness_logits=torch.zeros(0))
    monkeypatch.setattr(source.network.model.proposal_generator, "forward", lambda images, maps, _: ([none], {}))
    (found,) = source.regions_of([torch.zeros(3, 48, 64, dtype=torch.uint8)], SELECTION)
    assert found.box.shape == (0, 4) and found.feature.shape == (0, 2048)


def test_a_pyramids_feature_is_its_box_heads_output(tmp_path):
    settings = SMALL.model_copy(update={"config": "COCO-Detection/faster_rcnn_R_50_FPN_1x.yaml"})
    source = load_source(*adopted(tmp_path, settings, {"model": random_state(settings)}))
    images = list(torch.randint(0, 256, (2, 3, 48, 64), dtype=torch.uint8))
    found = source.regions_of(images, SELECTION)
    given = source.features_of(images, [regions.box for regions in found])
    for regions, feature in zip(found, given, strict=True):
        assert feature.shape == (len(regions.box), 1024) and len(feature)
        torch.testing.assert_close(regions.feature, feature)


@pytest.mark.skipif(not COCO128.is_dir(), reason="no COCO images: set JVGN_SHARED")
def test_the_losses_are_those_of_detectron2s_own_training():
    path = sorted(COCO128.glob("*.jpg"))[0]
    torch.manual_seed(0)
    network = start_detectron2(SMALL, 2).train()
    box_24, label_2 = [[10.0, 20, 200, 150], [5.0, 5, 90, 60]], [0, 1]
    notes = [{"bbox": box, "bbox_mode": 0, "category_id": label} for box, label in zip(box_24, label_2, strict=True)]
    resize = ResizeShortestEdge([SMALL.short_side] * 2, SMALL.long_side)
    mapper = DatasetMapper(is_train=True, augmentations=[resize], image_format="BGR")
    torch.manual_seed(1)
    with EventStorage():
        expected = network.model([mapper({"file_name": str(path), "annotations": notes})])
    torch.manual_seed(1)
    found = network([read_image(path)], [{"boxes": torch.tensor(box_24), "labels": torch.tensor(label_2) + 1}])
    assert found.keys() == expected.keys() and len(found) == 4
    for name, loss in expected.items():
        torch.testing.assert_close(found[name], loss, rtol=1e-4, atol=0)


@pytest.mark.parametrize("kind", ["C4", "FPN"])
def test_half_precision_leaves_boxes_as_they_are(monkeypatch, kind):
    """bfloat16 would round the corners of a box near pixel 512 to multiples of 4."""
    config = {"config": f"COCO-Detection/faster_rcnn_R_50_{kind}_1x.yaml", "short_side": 80, "long_side": 640}
    torch.manual_seed(0)
    network = start_detectron2(SMALL.model_copy(update=config), 2).train()
    gold_14 = torch.tensor([[513.0, 21, 543, 47]])
    pooled = results_of(monkeypatch, sys.modules[ROIAlign.__module__], "roi_align")
    coded = results_of(monkeypatch, Box2BoxTransform, "get_deltas")
    proposed = results_of(monkeypatch, network.model.proposal_generator.rpn_head.conv, "forward")
    compute_in("bf16", network.dense_parts)
    image = torch.randint(0, 256, (3, 80, 640), dtype=torch.uint8)
    losses = network([image], [{"boxes": gold_14, "labels": torch.tensor([1])}])
    assert {loss.dtype for loss in losses.values()} == {torch.float32} and len(losses) == 4
    assert {result.dtype for _, result in proposed} == {torch.bfloat16}
    proposal_N4 = torch.cat([arguments[1][:, 1:] for arguments, _ in pooled])
    assert proposal_N4.dtype == torch.float32 and (proposal_N4 == gold_14).all(1).any()  # a gold box is a proposal too
    assert len(coded) == 2  # of the anchors and of the proposals
    assert {box_N4.dtype for (_, *boxes), targets in coded for box_N4 in (*boxes, targets)} == {torch.float32}


@dataclass(frozen=True)
class Trained:
    data: Drawn
    settings: Detectron2Settings
    weights: Path


@pytest.fixture(scope="module")
def trained_here(tmp_path_factory):
    """Trained by a configuration file of one's own: the model zoo's, with fewer samples."""
    root = tmp_path_factory.mktemp("trained")
    (root / "own.yaml").write_text(
        f"_BASE_: {MODEL_ZOO / SMALL.config}\n"
        "MODEL: {ROI_HEADS: {BATCH_SIZE_PER_IMAGE: 8}, RPN: {POST_NMS_TOPK_TRAIN: 50}}\n"
    )
    data, settings = draw(root / "drawn"), SMALL.model_copy(update={"config": str(root / "own.yaml")})
    return Trained(data, settings, data.train(root / "detector", settings))


def test_it_trains_on_what_is_not_excluded_and_is_proved_disjoint(trained_here, tmp_path):
    provenance = trained_here.weights.parent / "provenance.json"
    assert read_provenance(provenance).training_image_ids == (10, 20, 30, 40)
    assert prove_disjoint(provenance, [trained_here.data.expressions], tmp_path / "proof.json") == "proved"
    with torch.random.fork_rng():
        torch.manual_seed(trained_here.settings.seed)
        before = start_detectron2(trained_here.settings, 2).state_dict()
    after = load_source(trained_here.settings, trained_here.weights).network.state_dict()
    learned = {name for name, value in before.items() if not torch.equal(value, after[name])}
    assert "model.roi_heads.res5.2.conv3.weight" in learned
    assert not any("stem" in name for name in learned)  # detectron2's own choice: the first layers stay


def test_an_interrupted_training_goes_on_to_the_same_bytes(trained_here, drawn, tmp_path):
    interrupt(drawn, tmp_path / "detector", trained_here.settings)
    again = drawn.train(tmp_path / "detector", trained_here.settings)
    assert again.read_bytes() == trained_here.weights.read_bytes()


@pytest.mark.parametrize("setting", ["gt", "det"])
def test_regions_take_the_road_of_every_source(trained_here, tmp_path, setting):
    path = trained_here.data.extract(
        trained_here.weights,
        setting,
        tmp_path / "regions.h5",
        detector=trained_here.settings,
        settings=SELECTION,
    )
    store = RegionStore(path)
    assert store.image_ids.tolist() == [10, 20, 30, 40, 50] and store.feature_size == 2048
    assert set(store.read(10).label.tolist()) <= set(CATEGORIES)


def test_the_model_zoos_weights_are_known_to_leak(trained_here, tmp_path):
    state = {name: value.numpy() for name, value in random_state(SMALL).items()}
    adopted(tmp_path, SMALL, {"model": state, "__author__": "Detectron2 Model Zoo"}, "zoo.pkl")
    with pytest.raises(UserError, match="all of COCO train2017"):
        prove_disjoint(tmp_path / "provenance.json", [trained_here.data.expressions], tmp_path / "proof.json")


def test_other_given_weights_prove_nothing(r101, trained_here, tmp_path):
    provenance = r101[1].parent / "provenance.json"
    assert prove_disjoint(provenance, [trained_here.data.expressions], tmp_path / "proof.json") == "unproven"
