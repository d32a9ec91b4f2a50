"""The detector's selection against its plain definition, and its features for every backbone."""

import sys

import numpy as np
import pytest
import torch
from torchvision.models import resnet50

from jvgn.boxes import iou
from jvgn.detector.faster_rcnn import BACKBONES, build_detector, lowest_score, select
from jvgn.detector.interface import load_source, untrained
from jvgn.settings.detector import Detectron2Settings, RegionSettings, TorchvisionSettings
from parsers.errors import UserError

FEATURE_SIZES = {"tiny": 128, "resnet50": 2048, "resnet101": 2048, "vgg16": 4096}


def plainly_selected(box_NC4, score_NC, settings: RegionSettings) -> list[tuple[int, int]]:
    """Suppress within each class, then lower the threshold until something is left: MAttNet's words."""
    survivors = []
    for label in range(score_NC.shape[1]):
        own: list[int] = []
        for row in np.argsort(-score_NC[:, label]):
            if not own or iou(box_NC4[[row], label], box_NC4[own, label]).max() <= settings.nms:
                own.append(int(row))
        survivors += [(row, label) for row in own]
    survivors.sort(key=lambda pair: -score_NC[pair])
    threshold = settings.score
    while threshold > 0:
        kept = [pair for pair in survivors if score_NC[pair] >= threshold]
        if kept:
            return kept[: settings.cap]
        threshold -= settings.step
    return survivors[:1]


@pytest.mark.parametrize("cap", [None, 3])
@pytest.mark.parametrize("highest", [1.0, 0.6, 0.3, 0.04])
@pytest.mark.parametrize("seed", range(3))
def test_selection_is_the_plain_definition(seed, highest, cap):
    random = np.random.default_rng(seed)
    corner_NC2 = random.uniform(0, 40, (30, 4, 2))
    box_NC4 = np.concatenate([corner_NC2, corner_NC2 + random.uniform(5, 25, (30, 4, 2))], axis=2).astype(np.float32)
    score_NC = (random.random((30, 4)) * highest).astype(np.float32)
    settings = RegionSettings(cap=cap)
    found = select(torch.from_numpy(box_NC4), torch.from_numpy(score_NC), settings)
    assert list(zip(*(side.tolist() for side in found), strict=True)) == plainly_selected(box_NC4, score_NC, settings)


@pytest.mark.parametrize(("best", "lowest"), [(0.9, 0.65), (0.65, 0.65), (0.64, 0.55), (0.06, 0.05), (0.04, 0.0)])
def test_the_threshold_is_lowered_until_the_best_box_passes(best, lowest):
    assert lowest_score(best, score=0.65, step=0.1) == lowest


def test_only_the_top_box_is_left_at_threshold_zero():
    box_NC4 = torch.tensor([[[0.0, 0, 9, 9]], [[20.0, 20, 29, 29]], [[40.0, 40, 49, 49]]])
    proposal_N, class_N = select(box_NC4, torch.tensor([[0.03], [0.04], [0.04]]), RegionSettings())
    assert len(proposal_N) == len(class_N) == 1


def test_empty_boxes_are_no_regions():
    box_NC4 = torch.tensor([[[5.0, 5, 5, 9]], [[0.0, 0, 9, 9]]])
    proposal_N, _ = select(box_NC4, torch.tensor([[0.9], [0.1]]), RegionSettings())
    assert proposal_N.tolist() == [1]
    assert len(select(box_NC4[:1], torch.tensor([[0.9]]), RegionSettings())[0]) == 0


@pytest.fixture(scope="module", params=BACKBONES)
def detector(request):
    torch.manual_seed(0)
    settings = TorchvisionSettings(
        backbone=request.param, short_side=72, long_side=128, anchor_sizes=(16, 32), anchor_ratios=(1.0,)
    )
    return request.param, build_detector(settings, class_count=3, proposals=10).eval()


def draw_images() -> list[torch.Tensor]:
    return list(torch.randint(0, 256, (2, 3, 48, 64), generator=torch.Generator().manual_seed(0), dtype=torch.uint8))


def test_each_backbone_has_features_of_its_size(detector):
    name, network = detector
    found = network.regions_of(draw_images(), RegionSettings(cap=5))
    assert network.feature_size == FEATURE_SIZES[name]
    for regions in found:
        assert regions.feature.shape == (len(regions.box), FEATURE_SIZES[name])
        assert 1 <= len(regions.box) <= 5


def test_detections_lie_in_the_image_in_its_own_pixels(detector):
    for regions in detector[1].regions_of(draw_images(), RegionSettings(score=0.05)):
        x1, y1, x2, y2 = regions.box.T
        assert (x1 >= 0).all() and (y1 >= 0).all() and (x2 <= 64).all() and (y2 <= 48).all()
        assert (x2 - x1 >= 1).all() and (y2 - y1 >= 1).all()
        assert ((regions.label >= 1) & (regions.label <= 3)).all()
        assert (regions.score.diff() <= 0).all()


def test_given_boxes_have_the_features_of_detected_ones(detector):
    images = draw_images()
    found = detector[1].regions_of(images, RegionSettings(score=0.05, cap=4))
    given = detector[1].features_of(images, [regions.box for regions in found])
    for regions, feature_ND in zip(found, given, strict=True):
        torch.testing.assert_close(feature_ND, regions.feature)


def test_an_image_without_boxes_has_no_features(detector):
    nothing, something = torch.zeros(0, 4), torch.tensor([[1.0, 2, 30, 40]])
    for boxes in ([nothing, something], [nothing, nothing]):
        found = detector[1].features_of(draw_images(), boxes)
        assert [feature_ND.shape for feature_ND in found] == [(len(box), detector[1].feature_size) for box in boxes]


def test_a_resnet50_has_the_features_of_torchvisions_weights():
    torch.manual_seed(0)
    published = resnet50().eval()
    backbone = BACKBONES["resnet50"](published.state_dict())
    published.fc = torch.nn.Identity()
    image = torch.rand(1, 3, 64, 48)
    with torch.no_grad():
        torch.testing.assert_close(backbone.head(backbone.map(image)), published(image))


def test_without_detectron2_the_error_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "detectron2", None)  # an import then fails, whatever is installed
    monkeypatch.delitem(sys.modules, "jvgn.detector.detectron2_backend", raising=False)
    settings = Detectron2Settings(source="detectron2")
    for use in (lambda: load_source(settings, tmp_path / "weights.safetensors"), lambda: untrained(settings, 2)):
        with pytest.raises(UserError, match="conda install --channel conda-forge detectron2") as error:
            use()
        assert "\n" not in str(error.value)
