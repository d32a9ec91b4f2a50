"""The whole workflow on a miniature world: its outputs, caching, and which edits rerun which stages."""

import json
import re
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

from jvgn import Grounder
from jvgn.cli import main
from tests.workflow.conftest import MADE

RUN = "results/shapes_det"
DOCUMENT = Path(__file__).parents[2] / "docs/data.md"
QUERIES = re.findall(r"^```(python|sql)\n(.*?)^```", DOCUMENT.read_text(), re.M | re.S)
SCORED = {"score", "ablate", "draw_sizes", "draw_calibration", "draw_ablation", "write_results"}
AFTER_TRAINING = {"train", "predict", "draw_examples", "show_examples", "write_gallery", "draw_learning"} | SCORED


def test_the_workflow_produces_metrics(finished):
    for setting in ("gt", "det"):
        metrics = json.loads((finished.folder / f"results/shapes_{setting}/metrics.json").read_text())
        assert (metrics["dataset"], metrics["setting"], metrics["run"]) == ("shapes", setting, "default")
        assert metrics["provenance"]["detector_proof"] == "proved"
        assert metrics["splits"].keys() == {"val", "test", "adv"}
        test = metrics["splits"]["test"]
        assert test["n"] == 32 and 0 <= test["accuracy"] <= 100
        assert test["oracle_recall"] == 100 or setting == "det"


def test_predictions_ground_every_node(finished):
    predictions = pd.read_parquet(finished.folder / f"{RUN}/predictions.parquet")
    nodes = pd.read_parquet(finished.folder / "results/graphs/shapes/lexical/nodes.parquet")
    expressions = pd.read_parquet(finished.folder / "results/datasets/shapes/expressions.parquet")
    evaluated = expressions.loc[expressions["split"] != "train", "expression_id"]
    expected = nodes.loc[nodes["expression_id"].isin(evaluated), ["expression_id", "node", "is_referent"]]
    found = predictions[["expression_id", "node", "is_referent"]].sort_values(["expression_id", "node"])
    pd.testing.assert_frame_equal(found.reset_index(drop=True), expected.reset_index(drop=True))
    assert predictions["marginal"].between(0, 1.0001).all() and predictions["correct"].notna().all()


def test_the_ablation_has_four_rows_a_split(finished):
    table = pd.read_csv(finished.folder / f"{RUN}/ablation.csv")
    assert list(table) == ["marginalise_training", "marginalise_inference", "split", "accuracy", "context_accuracy"]
    assert table.groupby("split").size().tolist() == [4, 4, 4]
    metrics = json.loads((finished.folder / f"{RUN}/metrics.json").read_text())
    full = table[table["marginalise_training"] & table["marginalise_inference"]].set_index("split")
    for split, values in metrics["splits"].items():
        assert full.loc[split, "accuracy"] == pytest.approx(values["accuracy"])
        assert full.loc[split, "context_accuracy"] == pytest.approx(values["context_accuracy"])


def test_the_grounder_answers_as_the_predictions_say(finished):
    """The Grounder finds the detections, graph and beliefs of the evaluation."""
    predictions = pd.read_parquet(finished.folder / f"{RUN}/predictions.parquet")
    expressions = pd.read_parquet(finished.folder / "results/datasets/shapes/expressions.parquet")
    images = pd.read_parquet(finished.folder / "results/datasets/shapes/images.parquet").set_index("image_id")
    grounder = Grounder.load(finished.folder / RUN)
    for expression in expressions[expressions["split"] == "test"].head(5).itertuples():
        image = finished.folder / "resources/shapes/images" / images.loc[expression.image_id, "file_name"]
        expected = predictions[predictions["expression_id"] == expression.expression_id]
        found = grounder.ground(Image.open(image), expression.text)  # not its path, which has stored regions
        assert [one.is_referent for one in found] == expected["is_referent"].tolist()
        assert [one.marginal for one in found] == pytest.approx(expected["marginal"].tolist(), abs=0.02)
        for one, row in zip(found, expected.itertuples(), strict=True):
            assert one.box == pytest.approx((row.x1, row.y1, row.x2, row.y2), abs=0.5)


def test_the_best_joint_groundings_are_printed_with_their_probabilities(finished, tmp_path):
    image = min((finished.folder / "resources/shapes/images").glob("*.jpg"))
    arguments = ["ground", image, "the star left of a ring", "--run", finished.folder / RUN, "--best", 3]
    arguments += ["--output", tmp_path / "a.png"]
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 0, result.stderr
    lines = result.output.splitlines()[:-2]
    assert [line[:6].strip() for line in lines if "," in line] == ["* star", "ring"] * 3
    found = [(place, float(probability)) for place, _, probability in (line.split() for line in lines[::4])]
    assert [place for place, _ in found] == ["1.", "2.", "3."]
    assert 1 >= found[0][1] >= found[1][1] >= found[2][1] >= 0


def test_recall_is_known_before_training_and_is_what_the_metrics_say(finished):
    for setting in ("gt", "det"):
        folder = finished.folder / f"results/regions/shapes_{setting}"
        assert sorted(path.name for path in folder.glob("[!.]*")) == [
            *("settings.yaml", "tiny.h5", "tiny.recall.json", "tiny.skipped.csv")
        ]
        recall = json.loads((folder / "tiny.recall.json").read_text())["splits"]
        metrics = json.loads((finished.folder / f"results/shapes_{setting}/metrics.json").read_text())["splits"]
        assert recall.keys() == {"train", *metrics}
        for split, values in metrics.items():
            assert {key: recall[split][key] for key in ("n", "oracle_recall", "mean_regions", "skipped")} == {
                **{key: values[key] for key in ("n", "oracle_recall", "mean_regions")},
                "skipped": 0,
            }


def test_regions_are_described_and_drawn_from_the_command_line(finished, tmp_path):
    file = finished.folder / "results/regions/shapes_det/tiny.h5"
    described = CliRunner().invoke(main, ["regions", "info", str(file)])
    assert described.exit_code == 0, described.stderr
    lines = dict(line.split(maxsplit=1) for line in described.output.splitlines())
    assert lines["setting"] == "det" and lines["images"] == "35" and lines["feature"] == "128 numbers, float16"
    image = min((finished.folder / "resources/shapes/images").glob("*.jpg"))
    for name in ("a.png", "a.svg"):
        drawn = CliRunner().invoke(main, ["regions", "show", str(file), str(image), "--output", str(tmp_path / name)])
        assert drawn.exit_code == 0, drawn.stderr
        assert (tmp_path / name).stat().st_size > 10_000
        *rows, last = drawn.output.splitlines()
        assert rows and last == f"drawn: {tmp_path / name}"
    unknown = CliRunner().invoke(main, ["regions", "show", str(file), str(tmp_path / "a.png")])
    assert unknown.exit_code == 1 and "a.png: " in unknown.stderr


def test_a_second_run_in_a_moved_project_does_nothing(finished):
    """`finished` is a copy of the project that was run."""
    assert finished.planned(*MADE) == set()


@pytest.mark.parametrize("block", range(len(QUERIES)))
def test_the_queries_of_the_documentation_run_on_what_the_workflow_wrote(finished, monkeypatch, block):
    language, query = QUERIES[block]
    monkeypatch.chdir(finished.folder)
    if language == "sql":
        assert duckdb.sql(query).columns
    else:
        exec(query, {})


def test_a_query_gives_every_edge_with_its_sentence(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    edges = pd.read_parquet("results/graphs/shapes/lexical/edges.parquet")
    (query,) = [query for language, query in QUERIES if language == "sql" and "AS subject, r.relation" in query]
    found = duckdb.sql(query).df()
    assert found["relation"].tolist() == edges["relation"].tolist() != []


def test_a_lost_model_is_made_again(finished, tmp_path):
    """Snakemake removes old outputs before it runs a job, so an interrupted run may leave them missing."""
    model = finished.folder / RUN / "model.safetensors"
    model.rename(tmp_path / "model.safetensors")
    try:
        assert "train" in finished.planned(*MADE)
    finally:
        (tmp_path / "model.safetensors").rename(model)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["jvgn/evaluation/score.py", "jvgn/cli/__init__.py"], SCORED | {"draw_learning"}),  # and nothing for the cli
        (["parsers/lexical/__init__.py"], {"parse_expressions", "draw_coverage", "predict_by_rules"} | AFTER_TRAINING),
        (
            ["jvgn/regions/extraction.py", "jvgn/training/run.py"],
            {"extract_regions", "merge_regions", "measure_recall", "draw_recall", "predict_by_rules"} | AFTER_TRAINING,
        ),
    ],
)
def test_an_edit_reruns_what_depends_on_it_and_nothing_else(finished, files, expected):
    originals = {file: (finished.folder / file).read_text() for file in files}
    for file in files:
        finished.edit(file)
    try:
        assert finished.planned(*MADE) == expected
    finally:
        for file, original in originals.items():
            (finished.folder / file).write_text(original)


def report(project):
    """Make the report and return its text, which contains all files."""
    run = project.snakemake("--quiet", "host", "--report", "report.html", "--", *MADE)
    assert run.returncode == 0, run.stdout + run.stderr
    return (project.folder / "report.html").read_text()


def test_the_report_is_made_and_read_without_network(finished, monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # no server
    page = report(finished)
    expected = {
        "learning.svg",
        "sizes.svg",
        "calibration.svg",
        "ablation.svg",
        "recall.svg",
        "coverage.svg",
        "results.html",
    }
    expected |= {"average_precision.svg", "examples.html"}
    results = json.loads(re.search(r"^    var results = (.*);$", page, re.M)[1])
    assert expected <= {result["filename"] for result in results.values()}
    assert all(result["caption"] and result["labels"] for result in results.values())
    # Chromium shows no page of more than 2 MB that is within another.
    assert all(len(result["data_uri"]) < 2e6 for name, result in results.items() if name.endswith(".html"))
    assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="http', page)
    assert "Out of date" not in page


def test_a_report_that_is_an_archive_contains_the_galleries_if_asked(finished):
    arguments = ("--quiet", "host", "--config", "galleries_in_report=true", "--report", "report.zip")
    run = finished.snakemake(*arguments, f"{RUN}/report/results.html")
    assert run.returncode == 0, run.stdout + run.stderr
    with zipfile.ZipFile(finished.folder / "report.zip") as archive:
        assert any(name.endswith("/index.html") for name in archive.namelist())


def test_the_report_names_files_that_are_out_of_date(finished):
    original = (finished.folder / "jvgn/views/report/run_figures.py").read_text()
    finished.edit("jvgn/views/report/run_figures.py")
    try:
        page = report(finished)
    finally:
        (finished.folder / "jvgn/views/report/run_figures.py").write_text(original)
    described = json.loads(re.search(r"var workflow_desc = (.*);$", page, re.M)[1])
    assert "Out of date" in described
    stale = set(re.findall(r"results/\S+?\.(?:svg|csv|html|png)", described))
    figures = ("learning", "sizes", "calibration", "ablation")
    drawn = {f"{RUN}/report/{figure}.{suffix}" for figure in figures for suffix in ("svg", "csv")}
    assert stale == drawn | {f"{RUN}/report/results.html"}


def test_a_survey_shows_what_the_runs_predicted(finished, tmp_path, monkeypatch):
    monkeypatch.chdir(finished.folder)
    arguments = ["survey", "make", "a=results/shapes_gt", "b=results/shapes_det", "--examples", "6"]
    made = CliRunner().invoke(main, [*arguments, "--output", f"{tmp_path}/form.html", "--key", f"{tmp_path}/key.json"])
    assert made.exit_code == 0, made.stderr
    page = (tmp_path / "form.html").read_text()
    shown = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])["examples"]
    images = pd.read_parquet("results/datasets/shapes/images.parquet")
    expressions = pd.read_parquet("results/datasets/shapes/expressions.parquet").merge(images, on="image_id")
    ids = {(row.file_name, row.text): row.expression_id for row in expressions[::-1].itertuples()}
    key = json.loads((tmp_path / "key.json").read_text())["examples"]
    assert len(shown) == 12
    for example in shown:
        behind = key[example["id"]]
        setting = {"a": "gt", "b": "det"}[behind["model"]]
        predictions = pd.read_parquet(f"results/shapes_{setting}/predictions.parquet")
        own = predictions[predictions["expression_id"] == ids[behind["image"], example["sentence"]]]
        referent = own[own["is_referent"]].iloc[0]
        assert len(own) == len(example["objects"])
        assert example["objects"][0]["box"] == pytest.approx(referent[["x1", "y1", "x2", "y2"]].tolist(), abs=0.06)
        assert example["objects"][0]["after"] == pytest.approx(referent["marginal"], abs=0.006)
        assert example["objects"][0]["before"] == pytest.approx(referent["unary"], abs=0.006)


def test_any_run_has_a_report_without_those_of_others(finished):
    planned = finished.planned(f"{RUN}/runs/unmarginalised/report/results.html")
    assert planned == {
        *("draw_learning", "draw_sizes", "draw_calibration", "draw_examples", "draw_recall"),
        *("show_examples", "write_gallery", "write_results"),
    }


def test_another_run_and_parser_take_nothing_but_their_own_jobs_and_files(finished, miniature):
    config = miniature()
    config["runs"]["other"] = {"training": {"epochs": 3}}
    config["parsers"] = {"mine": {"backend": "conllu", "parses": "resources/mine.conllu"}}
    finished.configure(config)
    targets = (*MADE, f"{RUN}/runs/other/metrics.json", "results/graphs/shapes/mine/nodes.parquet")
    try:
        missing = finished.snakemake("--dry-run", "--", *targets)
        assert missing.returncode == 1 and "resources/mine.conllu" in missing.stdout + missing.stderr
        (finished.folder / "resources/mine.conllu").touch()
        assert finished.planned(*targets) == {
            *("freeze_run", "train", "predict", "score", "freeze_parser", "parse_expressions")
        }
    finally:
        (finished.folder / "resources/mine.conllu").unlink(missing_ok=True)
        finished.configure(miniature())


def test_a_dataset_parsed_in_shards_has_the_same_graphs(finished, miniature):
    config = miniature()
    config["parsers"] = {"again": {"backend": "lexical"}}
    config["datasets"]["shapes"]["shards"] = 3
    finished.configure(config)
    graphs = finished.folder / "results/graphs/shapes"
    try:
        run = finished.snakemake("--quiet", "host", "--", "results/graphs/shapes/again/nodes.parquet")
        assert run.returncode == 0, run.stdout + run.stderr
        assert "rule merge_shards:" in run.stdout + run.stderr
        for name in ("nodes.parquet", "edges.parquet"):
            assert (graphs / "again" / name).read_bytes() == (graphs / "lexical" / name).read_bytes()
        assert not list(graphs.glob("again/shards/*/*.parquet"))
    finally:
        finished.configure(miniature())
