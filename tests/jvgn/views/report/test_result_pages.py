import re

from jvgn.evaluation.metrics import Metrics, MetricsProvenance, Shares, Split, write_metrics
from jvgn.views.report.result_pages import write_paper_table, write_results


def metrics(run="default"):
    shares = {"accuracy": 98.0, "context_accuracy": 97.0, "accuracy_interval": [96.4, 98.9]}
    k = {f"r_at_{cutoff}": 50.0 + cutoff for cutoff in (1, 5, 10)} | {"upper_bound": 88.0}
    recall = {"n": 1200, **k, **{f"{name}_interval": [40.0, 90.0] for name in k}}
    split = Split(
        n=500,
        **shares,
        oracle_recall=99.0,
        mean_regions=8.4,
        calibration_error=1.5,
        recall=recall,
        recall_by_type={"people": recall},
        context_by_relation={"<on>": {"n": 7, "accuracy": 30.0, "interval": [10.0, 50.0]}},
        unmatched_mentions=3,
        contradicting_mentions=4,
        by_decoding={"map": Shares(**shares)},
    )
    provenance = MetricsProvenance(sha256={"model": "ab12"}, versions={"torch": "2"}, seed=3, detector_proof="proved")
    return Metrics(dataset="<b>shapes", setting="gt", run=run, splits={"test": split}, provenance=provenance)


def cells(page):
    return re.findall(r"<td>(.*?)</td>", page)


def test_the_page_has_the_metrics_with_intervals(tmp_path):
    write_metrics(tmp_path / "metrics.json", metrics())
    write_results(tmp_path / "metrics.json", tmp_path / "results.html")
    page = (tmp_path / "results.html").read_text()
    assert cells(page)[:7] == ["test", "500", "98.0% (96.4 to 98.9)", "97.0%", "99.0%", "8.4", "1.5%"]
    assert "no: proved from the list of its training images" in page and "ab12" in page


def test_the_page_has_all_mentions_by_type_and_relation_and_the_mismatches(tmp_path):
    write_metrics(tmp_path / "metrics.json", metrics())
    write_results(tmp_path / "metrics.json", tmp_path / "results.html")
    found = cells((tmp_path / "results.html").read_text())
    place = found.index("people")
    ranks = ["1,200", "51.0% (40.0 to 90.0)", "55.0% (40.0 to 90.0)", "60.0% (40.0 to 90.0)", "88.0%"]
    assert found[place - 6 : place - 1] == found[place + 1 : place + 6] == ranks
    assert found[place + 6 : place + 9] == ["test", "3", "4"]
    assert found[place + 9 : place + 14] == ["test", "relation", "&lt;on&gt;", "7", "30.0% (10.0 to 50.0)"]


def test_names_are_escaped_and_nothing_is_loaded_from_elsewhere(tmp_path):
    write_metrics(tmp_path / "metrics.json", metrics(run="<script>x"))
    write_results(tmp_path / "metrics.json", tmp_path / "results.html")
    page = (tmp_path / "results.html").read_text()
    assert "<h1>&lt;b&gt;shapes on annotated regions, run &lt;script&gt;x</h1>" in page
    assert "<script" not in page and "http" not in page


def test_a_table_of_the_paper_keeps_its_cells(tmp_path):
    (tmp_path / "table.csv").write_text("model,val,origin\nJVGN,80.10,published\nours <1>,,measured\n")
    write_paper_table(tmp_path / "table.csv", "table1", tmp_path / "table.html")
    page = (tmp_path / "table.html").read_text()
    assert cells(page) == ["JVGN", "80.10", "published", "ours &lt;1&gt;", "", "measured"]
