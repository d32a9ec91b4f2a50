"""The paper's tables: its figures as it prints them, ours from the metrics of runs, never one for the other."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.evaluation.metrics import Metrics, MetricsProvenance, Split, write_metrics
from jvgn.paper.paper_tables import OURS, paper_table, published
from jvgn.paper.runs import RUNS_OF_TABLES, Run
from parsers.errors import UserError

PAPER = Path(os.environ.get("JVGN_SHARED", "../shared")) / "paper/jvgn.tex"
LABELS = {"table1": "table:comp", "table2": "table:ablation", "table_vgg": "table:comp_vgg"}


def write_run(results, run, split, **values):
    """Write metrics of a run with these values on one split."""
    whole = {"n": 10, "accuracy": 0.0, "oracle_recall": 100.0, "mean_regions": 5.0} | values
    metrics = Metrics(
        dataset=run.dataset,
        setting=run.setting,
        run=run.run,
        splits={split: Split(**whole)},
        provenance=MetricsProvenance(seed=0, detector_proof="proved"),
    )
    write_metrics(results / run.metrics, metrics)
    return results / run.metrics


@pytest.mark.skipif(not PAPER.exists(), reason=f"the paper's text is not at {PAPER}")
@pytest.mark.parametrize("table", LABELS)
def test_published_figures_are_those_that_the_paper_prints(table):
    text = PAPER.read_text()
    end = text.index(f"\\label{{{LABELS[table]}}}")
    printed = text[text.rindex("\\begin{tabular}", 0, end) : end]
    rows = [[plain(cell) for cell in line.split("&")] for line in printed.splitlines() if re.search(r"\d\d\.\d", line)]
    assert len(rows) >= 4 and published(table).drop(columns=["source", "origin"]).to_numpy().tolist() == rows


def plain(cell):
    """A cell of the paper's table without its citation and typography."""
    text = re.sub(r"~\\cite\{.*?\}|\\textbf|\\\\|[{}]", "", cell).strip()
    return {"-": "", r"Our \model": "JVGN (the paper)", r"\xmark": "False", r"\cmark": "True"}.get(text, text)


@pytest.mark.parametrize("table", RUNS_OF_TABLES)
def test_every_published_row_names_its_source(table):
    rows = published(table)
    paper = "JVGN paper, (?:Table|the figure)"
    others = r"README|pull request|recalled, not checked"
    assert rows["source"].str.contains(others if table == "flickr30k" else paper).all()
    assert (rows["origin"] == "published").all()


@pytest.mark.parametrize("table", RUNS_OF_TABLES)
def test_without_any_run_our_cells_are_empty_and_the_published_stay(table):
    rows = paper_table(table, [])
    ours = rows[rows["origin"] == "measured"]
    figures = list(rows.columns[list(rows.columns).index("origin") + 1 :])
    assert len(ours) and (ours[figures] == "").to_numpy().all()
    pd.testing.assert_frame_equal(
        rows[rows["origin"] == "published"].sort_values(list(rows)).reset_index(drop=True),
        published(table).sort_values(list(rows)).reset_index(drop=True),
    )


def test_a_measured_accuracy_stands_in_its_own_cell_and_nowhere_else(tmp_path):
    metrics = write_run(tmp_path, Run("refcoco+", "det"), "testA", accuracy=61.234, oracle_recall=88.0)
    rows = paper_table("table1", [metrics])
    ours = rows[rows["origin"] == "measured"].set_index(["method", "setting"])
    assert ours.loc[(OURS, "det"), "refcoco+ testA"] == "61.23"
    assert ours.loc[("best possible on our regions", "det"), "refcoco+ testA"] == "88.00"
    assert (ours.drop(columns=["origin", "source"]) != "").sum().sum() == 2
    assert "refcoco+_det/metrics.json (seed 0, detector proved)" in ours.loc[(OURS, "det"), "source"]


def test_the_ablation_is_made_of_two_models_decoded_in_two_ways(tmp_path):
    ways = {run: {way: {"accuracy": value + inferred} for inferred, way in enumerate(("unary", "marginal"))}
            for run, value in (("unmarginalised", 40), ("default", 50))}  # fmt: skip
    paths = [write_run(tmp_path, Run("refcocog", "gt", run), "test", by_decoding=found) for run, found in ways.items()]
    rows = paper_table("table2", paths)
    ours = rows[rows["origin"] == "measured"].set_index(["marginalise_training", "marginalise_inference"])
    cells = ours["refcocog gt test"].to_dict()
    assert cells == {
        ("False", "False"): "40.00",
        ("False", "True"): "41.00",
        ("True", "False"): "50.00",
        ("True", "True"): "51.00",
    }
    assert (ours["refcocog det test"] == "").all()


def test_the_appendix_is_made_of_the_runs_with_vgg(tmp_path):
    vgg = write_run(tmp_path, Run("refcoco", "gt", "vgg16"), "val", accuracy=70.0, oracle_recall=100.0)
    assert OURS in paper_table("table_vgg", [vgg]).query("`refcoco val` == '70.00'")["method"].tolist()
    with pytest.raises(UserError, match="table1 has no row for this run"):
        paper_table("table1", [vgg])


def test_supporting_objects_have_a_row_before_and_one_after_message_passing(tmp_path):
    unary = {"accuracy": 60.0, "supporting": {"n": 7, "all": 20.0, "at_least_one": 40.0}}
    after = {"accuracy": 90.0, "supporting": {"n": 7, "all": 70.0, "at_least_one": 80.0}}
    path = write_run(tmp_path, Run("shapes", "det"), "test", **after, by_decoding={"unary": unary})
    rows = paper_table("supporting", [path]).query("dataset == 'shapes' and setting == 'det' and split == 'test'")
    shown = rows[["referent", "with_supporting", "supporting_all", "supporting_at_least_one"]].to_numpy().tolist()
    assert shown == [["90.00", "7", "70.00", "80.00"], ["60.00", "7", "20.00", "40.00"]]
    brought = paper_table("supporting", [path]).query("dataset == 'refcocog-google' and origin == 'measured'")
    assert (brought[["referent", "supporting_all", "source"]] == "").to_numpy().all()


def test_all_phrases_have_their_recall_with_its_interval_and_by_type(tmp_path):
    k = {f"r_at_{cutoff}": 50.0 + cutoff for cutoff in (1, 5, 10)} | {"upper_bound": 88.0}
    recall = {"n": 14000, **k, **{f"{name}_interval": [40.0, 90.0] for name in k}}
    path = write_run(tmp_path, Run("flickr30k", "det"), "test", recall=recall, recall_by_type={"people": recall})
    rows = paper_table("flickr30k", [path]).query("origin == 'measured'").set_index("setting")
    names = ["r_at_1", "interval", "r_at_5", "r_at_10", "upper_bound", "n", "people", "clothing"]
    assert rows.loc["det", names].tolist() == [
        *("51.00", "40.00 to 90.00", "55.00", "60.00", "88.00", "14000", "51.00", "")
    ]
    assert (rows.loc["gt", names] == "").all()


def test_a_run_counts_once(tmp_path):
    run = Run("refcoco", "gt")
    paths = [write_run(tmp_path / name, run, "val", accuracy=1.0) for name in ("a", "b")]
    with pytest.raises(UserError, match="metrics of the same run as"):
        paper_table("table1", paths)


def test_the_tables_so_far_are_printed_and_written_from_what_was_run(tmp_path):
    write_run(tmp_path, Run("refcocog", "gt"), "val", accuracy=77.5, oracle_recall=100.0)
    printed = CliRunner().invoke(main, ["tables", "table1", f"--results={tmp_path}", f"--output={tmp_path}/tables"])
    assert printed.exit_code == 0
    assert re.search(r"^\| JVGN \(this project\) +\| gt .*\| 77\.50 ", printed.output, re.M)
    assert "refcocog_gt/metrics.json (seed 0, detector proved)" in printed.output
    table = pd.read_csv(tmp_path / "tables/table1.csv").set_index(["method", "setting"])
    assert (
        table.loc[(OURS, "gt"), "refcocog val"] == 77.5
        and table.loc[("JVGN (the paper)", "gt"), "refcocog val"] == 80.51
    )
    assert (tmp_path / "tables/table1.md").read_text().strip() == printed.output.strip()
    assert not (tmp_path / "tables/table2.csv").exists()


def test_a_rival_has_a_row_only_if_it_was_run(tmp_path):
    metrics = [
        write_run(tmp_path, Run("refcocog", "gt", "cmn"), "val", accuracy=71.5),
        write_run(tmp_path, Run("refcocog", "gt"), "val", accuracy=80.0),
    ]
    rows = paper_table("table1", metrics)
    ours = rows[rows["method"].str.endswith("(this project)") & (rows["setting"] == "gt")]
    assert ours[["method", "refcocog val"]].to_numpy().tolist() == [["CMN (this project)", "71.50"], [OURS, "80.00"]]
    supporting = paper_table("supporting", [write_run(tmp_path, Run("shapes", "gt", "cmn"), "adv", accuracy=90.0)])
    found = supporting[supporting["method"] == "CMN (this project)"].set_index("split")
    assert found.loc["adv", "referent"] == "90.00" and found.loc["test", "referent"] == ""
