import re

from jvgn.evaluation.metrics import Metrics, Provenance, Shares, Split, write_metrics
from jvgn.views.report.result_pages import write_paper_table, write_results


def metrics(run="default"):
    shares = {"accuracy": 98.0, "context_accuracy": 97.0}
    split = Split(
        n=500,
        **shares,
        oracle_recall=99.0,
        mean_regions=8.4,
        calibration_error=1.5,
        by_decoding={"map": Shares(**shares)},
    )
    provenance = Provenance(sha256={"model": "ab12"}, versions={"torch": "2"}, seed=3, detector_proof="proved")
    return Metrics(dataset="<b>shapes", setting="gt", run=run, splits={"test": split}, provenance=provenance)


def cells(page):
    return re.findall(r"<td>(.*?)</td>", page)


def test_the_page_has_the_metrics_with_intervals(tmp_path):
    write_metrics(tmp_path / "metrics.json", metrics())
    write_results(tmp_path / "metrics.json", tmp_path / "results.html")
    page = (tmp_path / "results.html").read_text()
    assert cells(page)[:7] == ["test", "500", "98.0% (96.4 to 98.9)", "97.0%", "99.0%", "8.4", "1.5%"]
    assert "no: proved from the list of its training images" in page and "ab12" in page


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
