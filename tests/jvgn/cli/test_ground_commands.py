"""`jvgn ground` and `jvgn show` on a small run: their output, and their errors."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from click.testing import CliRunner
from PIL import Image

from jvgn.cli import main
from jvgn.detector.faster_rcnn import build_detector
from jvgn.detector.weights import save_detector
from jvgn.evaluation.predict import predict
from jvgn.grounding.grounder import Grounder
from jvgn.regions.hdf5_store import RegionStore
from jvgn.settings.detector import PrecomputedSettings, RegionSettings, TorchvisionSettings
from jvgn.settings.parser import BUILT_IN_PARSERS
from jvgn.storage.records import record_of, write_origin
from jvgn.training.checkpoint import new_model, save_model
from jvgn.training.examples import Inputs
from jvgn.views.explorer.image_list import ImageList
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError

SENTENCE = "the star left of a red ring"


@pytest.fixture(scope="module")
def results(small_world, run_settings, tmp_path_factory):
    """A folder as the workflow's, with a run on given regions and one on detections; nothing in it is trained."""
    results = tmp_path_factory.mktemp("project") / "results"
    torch.manual_seed(0)
    detector = TorchvisionSettings(backbone="tiny", short_side=144, long_side=192, anchor_sizes=[18, 33])
    built = build_detector(detector, 8)
    own = results / "detectors/shapes/none"
    detector.write(own / "settings.yaml")
    save_detector(own / "weights.safetensors", built.state_dict(), detector, [(k, f"shape {k}") for k in range(1, 9)])
    RegionSettings().write(results / "regions/shapes_det/settings.yaml")
    shutil.copytree(small_world.dataset, results / "datasets/shapes")
    graphs = results / "graphs/shapes/lexical"
    BUILT_IN_PARSERS["lexical"].write(graphs / "settings.yaml")
    for file in (small_world.nodes, small_world.edges):
        shutil.copy(file, graphs)
    (results / "regions/shapes_gt").mkdir()
    shutil.copy(small_world.regions, results / "regions/shapes_gt/none.h5")
    words = Vocabulary.read(small_world.words).words
    for setting, feature_size in (("gt", RegionStore(small_world.regions).feature_size), ("det", built.feature_size)):
        settings = run_settings()
        model = new_model(settings, np.load(small_world.vectors), feature_size)
        settings.write(results / f"shapes_{setting}/settings.yaml")
        save_model(results / f"shapes_{setting}/model.safetensors", model, settings, feature_size, words)
    files = {"dataset": results / "datasets/shapes", "regions": results / "regions/shapes_gt/none.h5"}
    inputs = Inputs(**(vars(small_world) | files))
    run = results / "shapes_gt"
    predict(inputs, run / "model.safetensors", run / "predictions.parquet", 0.5, torch.device("cpu"))
    torch.set_deterministic_debug_mode("default")
    return results


@pytest.fixture(scope="module")
def images(small_world):
    return small_world.dataset.parent / "images"


@pytest.fixture
def photo(images):
    return min(images.glob("*.jpg"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Commands write into the folder they are called in."""
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_one_sentence_gives_a_table_and_a_picture(results, photo, tmp_path):
    found = run("ground", photo, SENTENCE, "--run", results / "shapes_det")
    assert found.exit_code == 0, found.stderr
    header, star, ring, drawn = found.stdout.splitlines()
    assert header.split() == ["phrase", "box", "before", "after"]
    assert star.startswith("* star ") and ring.startswith("  red ring ")
    expected = Grounder.load(results / "shapes_det").ground(photo, SENTENCE)
    for line, one in zip((star, ring), expected, strict=True):
        assert [float(value) for value in line.split()[-2:]] == pytest.approx([one.unary, one.marginal], abs=0.005)
    assert drawn == f"drawn: {photo.stem}.grounding.png"
    assert Image.open(tmp_path / f"{photo.stem}.grounding.png").width == 990


def test_json_is_all_that_goes_to_standard_output_and_holds_every_belief(results, photo, tmp_path):
    found = run("ground", photo, SENTENCE, "--run", results / "shapes_det", "--json", "-", "--best", 2)
    assert found.exit_code == 0, found.stderr
    content = json.loads(found.stdout)
    (result,) = content["results"]
    assert (content["format"], content["errors"], result["expression"]) == ("1", [], SENTENCE)
    assert list(tmp_path.iterdir()) == []
    answer = Grounder.load(results / "shapes_det").answer(photo, SENTENCE, best=2)
    np.testing.assert_array_equal(np.array(result["regions"], np.float32), answer.box_N4)
    assert result["referent"] == 0 and [node["is_referent"] for node in result["nodes"]] == [True, False]
    assert result["edges"] == [{"subject": 0, "relation": "left of", "object": 1, "tokens": [2, 3], "negated": False}]
    for node, unary_N, marginal_N in zip(result["nodes"], answer.unary_KN, answer.marginal_KN, strict=True):
        np.testing.assert_allclose(node["unary_of_regions"], unary_N)
        np.testing.assert_allclose(node["marginal_of_regions"], marginal_N)
        assert sum(node["marginal_of_regions"]) == pytest.approx(1, abs=1e-5)
        assert node["marginal"] == node["marginal_of_regions"][node["region"]]
        assert node["box"] == result["regions"][node["region"]]
        assert " ".join(result["tokens"][token] for token in node["tokens"]) == node["phrase"]
    assert [joint["probability"] for joint in result["best"]] == [joint.probability for joint in answer.joint]


def test_bad_rows_of_a_csv_are_named_and_the_others_answered(results, images, photo, tmp_path):
    (tmp_path / "asked").mkdir()
    shutil.copy(photo, tmp_path / "asked/a.jpg")
    (tmp_path / "asked/cut.jpg").write_bytes(photo.read_bytes()[:900])
    (tmp_path / "asked/text.jpg").write_text("no image")
    rows = ["image,expression,note", 'a.jpg,"the ring, or star",x', "none.jpg,a star", "a.jpg,", "text.jpg,a star"]
    rows += ["cut.jpg,a star", "a.jpg,the cross"]
    (tmp_path / "asked/questions.csv").write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    (tmp_path / "drawn").mkdir()
    arguments = ["--csv", "asked/questions.csv", "--json", "answers.json", "--output", "drawn"]
    found = run("ground", *arguments, "--run", results / "shapes_det")
    assert found.exit_code == 1
    errors = found.stderr.strip().splitlines()
    for line, (number, words) in zip(
        [line for line in errors if line.startswith("Error: ")],
        [(3, "none.jpg"), (4, "sentence is empty"), (5, "text.jpg"), (6, "cut.jpg")],
        strict=True,
    ):
        assert f"questions.csv, line {number}: " in line and words in line
    content = json.loads((tmp_path / "answers.json").read_text())
    assert [(one["question"], one["expression"]) for one in content["results"]] == [
        (0, "the ring, or star"),
        (5, "the cross"),
    ]
    assert [one["question"] for one in content["errors"]] == [1, 2, 3, 4]
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == ["1_a.png", "6_a.png"]


def test_an_image_of_the_dataset_has_the_stored_regions_of_the_run(results, photo, monkeypatch):
    monkeypatch.setattr("jvgn.grounding.grounder.extractor_of", lambda *given: pytest.fail("the detector was loaded"))
    found = run("ground", photo, SENTENCE, "--run", results / "shapes_gt", "--json", "answers.json")
    assert found.exit_code == 0, found.stderr
    images = pd.read_parquet(results / "datasets/shapes/images.parquet").set_index("file_name")
    image_id = int(images.loc[photo.name, "image_id"])
    assert f"regions: stored, of image {image_id}" in found.stdout.splitlines()
    (result,) = json.loads(Path("answers.json").read_text())["results"]
    assert result["stored_image_id"] == image_id
    expected, _ = RegionStore(results / "regions/shapes_gt/none.h5").read_boxes(image_id)
    np.testing.assert_array_equal(np.array(result["regions"], np.float32), expected)


@pytest.fixture
def precomputed(results, tmp_path):
    """A run whose detector has features and no network."""
    copied = shutil.copytree(results, tmp_path / "results")
    shutil.rmtree(copied / "detectors")
    shutil.rmtree(copied / "regions/shapes_det")
    settings = PrecomputedSettings(source="precomputed", format="hdf5", objects="regions.h5")
    settings.write(copied / "detectors/shapes/none/settings.yaml")
    return copied / "shapes_gt"


def test_precomputed_features_serve_for_images_of_the_dataset_only(precomputed, photo, tmp_path):
    assert run("ground", photo, SENTENCE, "--run", precomputed).exit_code == 0
    shutil.copy(photo, tmp_path / "new.jpg")
    found = run("ground", "new.jpg", SENTENCE, "--run", precomputed)
    (line,) = found.stderr.splitlines()
    assert found.exit_code == 1 and "detectors.none: has no network" in line
    (tmp_path / "asked.csv").write_text(f"image,expression\n{photo},a star\nnew.jpg,a star\n")
    found = run("ground", "--csv", "asked.csv", "--run", precomputed)
    assert found.exit_code == 1 and "asked.csv, line 3: detectors.none" in found.stderr and "* star" in found.stdout


def test_the_explorer_shows_a_dataset_with_precomputed_features(precomputed, images, photo):
    grounder = Grounder.load(precomputed, images=images)
    listed = ImageList.of_dataset(grounder, precomputed.parent / "datasets/shapes", images)
    for name in (one["name"] for one in listed.listed()[:2]):
        assert listed[name].image.stored_image_id == int(name)
    with pytest.raises(UserError, match="has no network"):
        listed.upload(photo.read_bytes())


def test_an_unknown_word_is_reported(results, photo):
    found = run("ground", photo, "the star, left of a red Gizmo", "--run", results / "shapes_det")
    assert found.exit_code == 0
    unknown, guessed = found.stderr.strip().splitlines()
    assert unknown == "Warning: not in the run's vocabulary, so read as <unk>: Gizmo"
    assert guessed.startswith("Warning: cannot know “red Gizmo”")


def test_pandas_and_matplotlib_are_not_loaded_for_an_answer(results, photo):
    code = f"""if True:
        import sys
        from jvgn import Grounder
        Grounder.load({str(results / "shapes_det")!r}).ground({str(photo)!r}, {SENTENCE!r})
        assert not {{"pandas", "matplotlib", "stanza"}} & set(sys.modules)"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="module")
def predictions(results):
    return pd.read_parquet(results / "shapes_gt/predictions.parquet")


def show(results, images, *arguments):
    return run("show", results / "shapes_gt", *arguments, "--images", images)


@pytest.mark.parametrize("nodes", [1, 2, 3])
def test_an_expression_is_shown_with_its_predicted_probabilities(results, images, predictions, tmp_path, nodes):
    sizes = predictions.groupby("expression_id").size()
    chosen = int(sizes[sizes == nodes].index[0])
    found = show(results, images, chosen, "--output", "a.svg", "--output", "a.png")
    assert found.exit_code == 0, found.stderr
    title, _, *rows, _ = found.stdout.splitlines()
    assert title.startswith(f"expression {chosen}, ")
    expected = predictions[predictions["expression_id"] == chosen]
    printed = np.array([[float(value) for value in row.split()[-2:]] for row in rows])
    np.testing.assert_allclose(printed, expected[["unary", "marginal"]], atol=0.006)
    assert Image.open("a.png").width == 990 and "<svg" in (tmp_path / "a.svg").read_text()


def test_without_an_id_the_expression_that_message_passing_helped_most_is_shown(results, images, predictions):
    right = predictions.groupby("expression_id")["correct"].all()
    gain = (predictions["marginal"] - predictions["unary"]).groupby(predictions["expression_id"]).sum()
    expected = gain[right[right].index].idxmax()
    assert f"drawn: expression_{expected}.png" in show(results, images).stdout


def test_nothing_is_shown_from_changed_files(results, images):
    path = results / "regions/shapes_gt/none.h5"
    whole = path.read_bytes()
    write_origin(path, "jvgn make", {}, {}, {})
    try:
        path.write_bytes(whole + b"!")
        found = show(results, images)
    finally:
        path.write_bytes(whole)
        record_of(path).unlink()
    assert found.exit_code == 1 and path.name in found.stderr


ZEBRAS = {
    "images": [{"id": 1, "file_name": "photo.jpg", "width": 200, "height": 100}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 60, 60]},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [120, 20, 60, 60]},
    ],
    "categories": [{"id": 1, "name": "zebra"}],
}


@pytest.fixture
def zebras(tmp_path):
    Image.new("RGB", (200, 100), "white").save(tmp_path / "photo.jpg")
    (tmp_path / "zebras.json").write_text(json.dumps(ZEBRAS))
    return ["ground", "photo.jpg", "--annotations", "zebras.json"]


def test_without_a_run_rules_answer_and_say_what_is_not_found(zebras, tmp_path):
    found = run(*zebras, "man on the bench")
    assert found.exit_code == 0, found.output
    assert found.stdout.count("not found") == 2
    assert "rules" in found.stderr
    assert (tmp_path / "photo.grounding.png").exists()
    answered = json.loads(run(*zebras, "man on the bench", "the zebra on the right", "--json", "-").stdout)
    absent, present = answered["results"]
    assert answered["run"] is None
    assert [(node["region"], node["box"]) for node in absent["nodes"]] == [(None, None)] * 2
    assert all(0.5 < node["not_found"] < 1 for node in absent["nodes"])
    assert present["nodes"][0]["region"] == 1
    assert "place" in [rule["rule"] for rule in present["nodes"][0]["rules"]]


def test_several_sentences_are_drawn_too_unless_json_is_printed(zebras, tmp_path):
    asked = [*zebras, "the zebra on the left", "the two smiling zebras"]
    found = run(*asked)
    assert "note: no rule reads “two”, “smiling”" in found.stdout
    drawn = sorted(path.name for path in tmp_path.glob("*.grounding.png"))
    assert drawn == ["photo.1.grounding.png", "photo.2.grounding.png"]
    for path in tmp_path.glob("*.grounding.png"):
        path.unlink()
    assert "smiling" in json.loads(run(*asked, "--json", "-").stdout)["results"][1]["notes"][0]
    assert not list(tmp_path.glob("*.grounding.png"))


def test_a_run_trained_on_shapes_warns_of_photographs(results, zebras):
    found = run("ground", "photo.jpg", SENTENCE, "--run", results / "shapes_det")
    assert "drawn shapes" in found.stderr


def test_evaluate_measures_a_run_in_the_boxes_that_it_is_given(results, images, photo, tmp_path):
    with Image.open(photo) as picture:
        width, height = picture.size
    boxes = [[2, 2, 40, 40], [60, 30, 30, 50], [100, 60, 40, 30]]
    notes = [
        {"id": key, "image_id": 1, "category_id": 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
        for key, box in enumerate(boxes)
    ]
    listed = [{"id": 1, "file_name": photo.name, "width": width, "height": height}]
    content = {"images": listed, "annotations": notes, "categories": [{"id": 1, "name": "star"}]}
    (tmp_path / "coco.json").write_text(json.dumps(content))
    xyxy_N4 = np.array([[x, y, x + w, y + h] for x, y, w, h in boxes], dtype=np.float32)
    grounder = Grounder.load(results / "shapes_det")
    answer = grounder.answer(grounder.look_at(photo, xyxy_N4), SENTENCE)
    chosen = answer.region_K[answer.graph.referent]
    row = {"image_id": 1, "file_name": photo.name, "expression": SENTENCE, "kind": []}
    asked = [
        row | {"referent": gold, "mentions": [{"phrase": "the star", "annotation": gold, "is_referent": True}]}
        for gold in (chosen, (chosen + 1) % 3)
    ]
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)))
    given = ["--images", images, "--annotations", tmp_path / "coco.json", "--expressions", tmp_path / "asked.jsonl"]
    found = run("evaluate", *given, "--run", results / "shapes_det", "--json", "-")
    assert found.exit_code == 0, found.stderr
    measured = json.loads(found.stdout)
    assert (measured["n"], measured["accuracy"]) == (2, 50.0)
    refused = run("evaluate", *given, "--run", results / "shapes_det", "--without", "names")
    assert refused.exit_code == 1
    assert "--run" in refused.stderr
