"""The field's protocol as settings: their defaults, and every departure from the paper named in the documentation."""

import re
from pathlib import Path

import pytest
import yaml

from jvgn.settings.configuration import configuration
from jvgn.settings.detector import RegionSettings
from jvgn.settings.evaluation import EvaluationSettings
from jvgn.settings.presets import overlaid
from jvgn.settings.run import RunSettings, VocabularySettings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reproducing.md").read_text()
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
PHOTOGRAPHS = {"refcoco": "unc", "refcoco+": "unc", "refcocog": "umd", "refcocog-google": "google"}


def configured(preset="default"):
    return configuration(CONFIG | {"preset": preset})


def leaves(value, path=()):
    """Each setting's dotted name, without the section that it is in, and its value."""
    if not isinstance(value, dict):
        return {".".join(path): value}
    return {name: leaf for key, inner in value.items() for name, leaf in leaves(inner, (*path, str(key))).items()}


def photographs(preset):
    """The settings of everything that the runs on photographs rest on."""
    chosen = configured(preset)
    found = [chosen.evaluation]
    for name in PHOTOGRAPHS:
        run = chosen.run(name, "default")
        found += [run, chosen.datasets[name].regions]
        found += [chosen.vocabularies[run.vocabulary], chosen.detectors[run.detector]]
    return [leaves(settings.model_dump()) for settings in found]


def differences():
    """Return each field that the presets set differently, with our value and the paper's."""
    pairs = zip(photographs("default"), photographs("paper"), strict=True)
    return {name: (ours[name], papers[name]) for ours, papers in pairs for name in ours if ours[name] != papers[name]}


@pytest.mark.parametrize(("field", "values"), differences().items())
def test_a_setting_in_which_we_depart_from_the_paper_has_a_row_with_both_values(field, values):
    ours, papers = values
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert [row for row in rows if f"`{field}: {ours}`" in row and f"`{field}: {papers}`" in row], (field, values)


def test_there_are_departures():
    departures = {"referent", "parser", "splits", "model.distinct", "training.feature_dropout", "training.soft_label"}
    assert differences().keys() == departures


def test_the_paper_is_trained_as_it_prints():
    training = configured("paper").run("refcocog", "default").training
    assert (training.epochs, training.images_per_batch, training.learning_rate) == (20, 128, 1e-3)
    assert (training.decay, training.decay_epochs, training.iou_threshold) == (0.9, 10, 0.5)
    assert (training.soft_label, training.dropout, training.gradient_norm) == ("printed", 0, 0)


def test_the_defaults_are_the_fields_protocol():
    regions, evaluation = RegionSettings(), EvaluationSettings()
    assert (regions.nms, regions.score, regions.step, regions.cap) == (0.3, 0.65, 0.1, None)
    assert (evaluation.iou_threshold, evaluation.allow_leaking) == (0.5, False)
    assert VocabularySettings().splits == "train"
    run = RunSettings(detector="resnet101", vocabulary="glove")
    assert (run.parser, run.referent, run.decoding, run.training.marginalise) == ("lexical", "head", "marginal", True)


def test_the_photographs_are_split_counted_and_withheld_as_the_field_does():
    chosen = configured()
    assert {name: chosen.datasets[name].split_by for name in PHOTOGRAPHS} == PHOTOGRAPHS
    assert set(chosen.training_sets["coco"].withhold) == set(PHOTOGRAPHS)
    thresholds = {
        name: chosen.vocabularies[chosen.run(name, "default").vocabulary].more_often_than for name in PHOTOGRAPHS
    }
    assert thresholds == {"refcoco": 5, "refcoco+": 5, "refcocog": 1, "refcocog-google": 1}
    for name in PHOTOGRAPHS:
        assert chosen.datasets[name].regions == RegionSettings()
        detector = chosen.detectors[chosen.run(name, "default").detector]
        assert (detector.backbone, detector.trained_on, detector.pretrained_on) == ("resnet101", "coco", "imagenet")


@pytest.mark.parametrize("block", re.findall(r"^    vocabularies:\n(?:    .*\n)+", PAGE, re.M))
def test_the_vocabulary_of_the_documentation_can_be_configured(block):
    settings = configuration(overlaid(CONFIG, yaml.safe_load(block)))
    assert settings.vocabularies[settings.run("refcoco", "as-counted").vocabulary].splits == "all"
