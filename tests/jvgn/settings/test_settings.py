"""The configuration is checked as a whole, and an error names its key."""

import json
import re
from pathlib import Path

import pytest
import yaml

from jvgn.settings.configuration import configuration, configuration_files, configuration_schema
from jvgn.settings.presets import PRESETS, overlaid
from jvgn.settings.run import RunSettings, TrainingSettings
from parsers.errors import UserError

ROOT = Path(__file__).parents[3]
PARSERS = ROOT / "docs/parsers.md"


def config():
    return yaml.safe_load((ROOT / "config.yaml").read_text())


def edited(path, value):
    result = config()
    inner = result
    *parents, last = path.split(".")
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return result


def test_our_configuration_is_valid():
    assert configuration(config()).run("shapes", "unmarginalised").training.marginalise is False


@pytest.mark.parametrize(
    ("values", "expected"),
    [({}, 1), ({"image_count": 2500}, 1), ({"image_count": 2501}, 2), ({"image_count": 10**5, "shards": 3}, 3)],
)
def test_shards_are_sized_by_images_unless_their_number_is_chosen(values, expected):
    dataset = config()["datasets"]["shapes"]
    assert configuration(edited("datasets.shapes", dataset | values)).shards("shapes") == expected


COCO = {"annotations": "a.json", "images": "images", "withhold": ["refcoco"]}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("shape", {}, r"unknown key shape; did you mean shapes\?"),
        ("shapes.train", -3, r"shapes\.train: .* greater than 0, found -3"),
        ("detectors.tiny.source", "caffe", r"detectors\.tiny: source: expected torchvision, "),
        ("detectors.tiny", {"source": "precomputed", "format": "npz"}, r"detectors\.tiny: .*name the files of"),
        ("datasets.shapes.run.training.epochs", "many", r"datasets\.shapes\.run: training\.epochs: .* found 'many'"),
        ("datasets.shapes.run.training.epoch", 3, r"run: unknown key training\.epoch; did you mean epochs\?"),
        ("datasets.shapes.run.detector", "none", "unknown detector none; known: tiny, resnet101, resnet50, d2, vgg16"),
        ("runs.odd", {"training": {"lr": 1}}, r"runs\.odd: unknown key training\.lr; remove it$"),
        ("runs.default", {}, r"runs\.default: is built in"),
        ("parsers.mine", {"backend": "stanza", "modles": "x"}, r"unknown key parsers\.mine\.stanza\.modles"),
        (
            "parsers.mine",
            {"backend": "graphs", "nodes": "n", "edges": "results/e"},
            r"mine\.graphs\.edges: .* outside of",
        ),
        ("parsers.mine", {"backend": "oracle"}, r"parsers\.mine: expected one of 'lexical', .*, found 'oracle'"),
        ("training_sets.coco.withhold", ["refclef"], r"training_sets\.coco\.withhold: unknown dataset refclef"),
        ("training_sets.coco.withhold", ["refcoco"], r"refcoco\+\.run: .* coco, which must withhold refcoco\+"),
        ("training_sets.refcoco", COCO, r"training_sets\.refcoco: is also the name of a dataset"),
        ("runs.default-seed1", {}, r"runs\.default-seed1: is also the name of a compared run"),
        ("compare.runs", ["nobody"], r"compare\.runs: unknown run nobody; known: default, unmarginalised"),
        ("compare.against", {"default": "nobody"}, r"compare\.against: unknown run nobody; known: default, unmarg"),
    ],
)
def test_a_mistake_names_its_key(path, value, message):
    with pytest.raises(UserError, match=message):
        configuration(edited(path, value))


OVERLAYS = {
    "an unknown key": (
        {"shapes": {"sead": 1}},
        {"shape": {}},
        r"one: unknown key shapes\.sead.*; two: unknown key shape;",
    ),
    "an overridden value": ({"shapes": {"seed": "a"}}, {"shapes": {"seed": "b"}}, r"two: shapes\.seed: .* found 'b'"),
    "a missing value": ({"datasets": {"mine": {"folder": "x"}}}, {}, r"one: datasets\.mine\.run: Field required"),
    "a run": (
        {"runs": {"odd": {"training": {"lr": 1}}}},
        {"datasets": {"shapes": {"run": {"training": {"epochs": 2}}}}},
        r"one: datasets\.shapes\.run with runs\.odd: unknown key training\.lr",
    ),
    "a name": ({}, {"datasets": {"shapes": {"run": {"parser": "x"}}}}, r"two: datasets\.shapes\.run: unknown parser x"),
}


@pytest.mark.parametrize("kind", OVERLAYS)
def test_a_mistake_in_one_of_several_files_names_that_file(kind):
    one, two, message = OVERLAYS[kind]
    files = {"config.yaml": config(), "one": one, "two": two}
    with pytest.raises(UserError, match=rf"^{message}"):
        configuration(overlaid(overlaid(config(), one), two), files)


def test_given_files_come_after_the_configuration_of_the_folder_if_there_is_one(tmp_path):
    own, other = tmp_path / "config.yaml", tmp_path / "own.yaml"
    assert configuration_files([], tmp_path) == [own]
    assert configuration_files([other], tmp_path) == [other]
    own.touch()
    assert configuration_files([other], tmp_path) == [own, other]
    assert configuration_files([own, other], tmp_path) == [own, other]


def test_the_training_set_of_a_runs_detector_must_withhold_the_dataset():
    settings = configuration(edited("runs.deep", {"detector": "vgg16"}))
    assert settings.run("refcoco", "deep").detector == "vgg16"
    with pytest.raises(UserError, match=r"shapes\.run with runs\.deep: .* coco, which must withhold shapes"):
        settings.run("shapes", "deep")


@pytest.mark.parametrize("block", re.findall(r"^```yaml\n(.*?)^```", PARSERS.read_text(), re.M | re.S))
def test_the_parsers_of_the_documentation_can_be_configured(block):
    settings = configuration(overlaid(config(), yaml.safe_load(block)))
    named = {run["parser"] for run in settings.runs.values() if "parser" in run}
    assert named and named <= set(settings.parsers)


@pytest.mark.parametrize(
    ("parser", "files"),
    [
        ({"backend": "lexical"}, []),
        ({"backend": "stanza"}, ["resources/stanza/resources.json", "resources/stanza/en"]),
        ({"backend": "stanza", "models": "here"}, ["here"]),
        ({"backend": "conllu", "parses": "a.conllu"}, ["a.conllu"]),
        ({"backend": "corenlp"}, ["resources/corenlp"]),
        ({"backend": "graphs", "nodes": "n.parquet", "edges": "e.parquet"}, ["n.parquet", "e.parquet"]),
    ],
)
def test_a_parser_lists_the_files_that_its_options_name(parser, files):
    assert configuration(config() | {"parsers": {"mine": parser}}).all_parsers["mine"].files == files


def test_a_run_differs_from_its_datasets_default_only_where_it_says_so():
    settings = configuration(edited("runs.small", {"model": {"hidden_size": 5}}))
    default, small = settings.run("shapes", "default"), settings.run("shapes", "small")
    assert small.model.hidden_size == 5
    assert small.model_copy(update={"model": default.model}) == default
    assert small.model.model_copy(update={"hidden_size": default.model.hidden_size}) == default.model


def test_the_configuration_overrides_a_preset():
    paper = configuration(edited("preset", "paper"))
    refcocog, shapes = paper.run("refcocog", "default"), paper.run("shapes", "default")
    assert refcocog.referent == shapes.referent == "in_degree"
    assert refcocog.training.soft_label == "printed" and refcocog.training.images_per_batch == 128
    assert shapes.training.images_per_batch == 16 and shapes.model.hidden_size == 16
    assert paper.vocabularies["glove"].splits == "all" and paper.vocabularies["glove"].more_often_than == 1
    assert configuration(edited("preset", "smoke")).run("refcoco", "unmarginalised").training.epochs == 1
    assert configuration(config()).run("refcocog", "default").training.soft_label == "normalised"


def test_the_papers_preset_turns_every_departure_off_that_the_default_has():
    default, paper = (configuration(edited("preset", name)).run("refcoco", "default") for name in ("default", "paper"))
    assert (default.model.distinct, default.training.feature_dropout) == (8.0, 0.5)
    assert (paper.model.distinct, paper.model.words) == (0.0, "sentence")
    assert (paper.training.feature_dropout, paper.training.contrast, paper.training.supervise) == (0, 0, "referent")
    stated = PRESETS["paper"]["dataset"]["run"]
    for part, values in PRESETS["default"]["dataset"]["run"].items():
        assert values.keys() <= stated[part].keys()


def test_the_drawn_world_has_no_departure():
    shapes = configuration(config()).run("shapes", "default")
    assert (shapes.model.distinct, shapes.training.feature_dropout) == (0.0, 0.0)


def test_smoke_has_small_images_and_one_epoch_for_every_detector_that_is_a_network():
    theirs = {"source": "precomputed", "format": "tsv", "detections": "theirs.tsv"}
    zoo = {"source": "detectron2", "weights": "zoo.pkl"}
    changed = edited("detectors", config()["detectors"] | {"theirs": theirs, "zoo": zoo})
    found, default = configuration(changed | {"preset": "smoke"}).detectors, configuration(changed).detectors
    for name in ("resnet101", "vgg16", "zoo"):
        assert (found[name].short_side, found[name].epochs, found[name].test_proposals) == (128, 1, 12)
        assert (default[name].short_side, default[name].epochs, default[name].test_proposals) == (600, 16, 300)
    assert found["resnet101"].region_samples == 16 and default["resnet101"].region_samples == 256
    assert found["theirs"] == default["theirs"]
    assert found["tiny"] == default["tiny"]  # the configuration says all of it


def test_every_preset_is_valid_by_itself():
    for preset in PRESETS:
        configuration(edited("preset", preset))


def test_a_compared_run_has_each_seed_once():
    settings = configuration(edited("compare", {"runs": ["default", "printed"], "seeds": [0, 4]}))
    assert settings.compared_runs("shapes") == [
        ("default", "default"),
        ("default", "default-seed4"),
        ("printed", "printed"),
        ("printed", "printed-seed4"),
    ]
    seeded, printed = settings.run("shapes", "printed-seed4"), settings.run("shapes", "printed")
    assert seeded.training == printed.training.model_copy(update={"seed": 4})


def test_frozen_settings_are_read_back_as_they_were(tmp_path):
    settings = configuration(config()).run("shapes", "default")
    settings.write(tmp_path / "settings.yaml")
    assert RunSettings.read(tmp_path / "settings.yaml") == settings
    assert set(yaml.safe_load((tmp_path / "settings.yaml").read_text())["training"]) == set(
        TrainingSettings.model_fields
    )


def test_the_published_schema_is_up_to_date():
    published = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text())
    assert published == configuration_schema(), "make schema"
