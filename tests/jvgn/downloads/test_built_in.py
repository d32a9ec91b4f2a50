"""The sources that come with the project, and what becomes of them when the user names others."""

from pathlib import Path

import pytest
import yaml

from jvgn.settings.built_in_sources import BUILT_IN_SOURCES, STANZA_VERSION
from jvgn.settings.configuration import configuration

ROOT = Path(__file__).parents[3]
DOCUMENTATION = (ROOT / "docs/reproducing.md").read_text()
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())


SPLITS_OF_REFER = {"unc", "umd", "google"}


def sources(chosen):
    return configuration(CONFIG | {"sources": chosen}).all_sources


def test_every_file_that_the_photographs_need_has_a_source():
    provided = {target for source in BUILT_IN_SOURCES.values() for target in source.provides}
    needed = {CONFIG["vocabularies"]["glove"]["glove"]}
    needed |= {CONFIG["training_sets"]["coco"][key] for key in ("annotations", "images")}
    needed |= {CONFIG["detectors"][name]["pretrained"] for name in ("resnet50", "resnet101", "vgg16")}
    entities = CONFIG["datasets"]["flickr30k"]  # its images must be requested
    needed |= {entities["entities"], *(f"{entities['split_lists']}/{split}.txt" for split in ("train", "val", "test"))}
    for dataset in (dataset for dataset in CONFIG["datasets"].values() if dataset.get("split_by") in SPLITS_OF_REFER):
        needed |= {f"{dataset['folder']}/refs({dataset['split_by']}).p", f"{dataset['folder']}/instances.json"}
        needed.add(dataset["images"])
    assert needed <= provided


def test_the_published_counts_sum_to_the_published_totals():
    totals = {name: sum(BUILT_IN_SOURCES[name].counts[split].values()) for name, split in SPLITS.items()}
    assert totals == {"refcoco": 142_210, "refcoco+": 141_564, "refcocog": 95_010}


SPLITS = {"refcoco": "unc", "refcoco+": "unc", "refcocog": "umd"}


@pytest.mark.parametrize("name", BUILT_IN_SOURCES)
def test_every_source_is_documented_with_its_file_its_place_and_its_counts(name):
    source = BUILT_IN_SOURCES[name]
    (row,) = [line for line in DOCUMENTATION.splitlines() if line.startswith("|") and f"`{name}`" in line.split("|")[1]]
    assert f"`{Path(source.file).name}`" in row and str(Path(source.file).parent) in DOCUMENTATION
    for target in source.provides:
        assert Path(target).name.replace(name, "{name}") in row or Path(target).name in row
    for counts in source.counts.values():
        assert " / ".join(f"{count:,}" for count in counts.values()) in row


@pytest.mark.parametrize("backbone", ["resnet50", "resnet101", "vgg16"])
def test_imagenet_weights_are_those_that_the_library_publishes(backbone):
    from torchvision.models import get_model_weights

    published = get_model_weights(backbone).IMAGENET1K_V1.url
    source = BUILT_IN_SOURCES[backbone]
    assert source.mirrors == (published,) and f"-{source.sha256}.pth" in published


def test_stanzas_model_is_of_the_version_that_is_installed():
    from stanza.resources.common import DEFAULT_RESOURCES_VERSION

    assert STANZA_VERSION == DEFAULT_RESOURCES_VERSION
