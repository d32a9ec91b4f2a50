"""`make bench` has its rows and its world: what it measures takes an idle machine, and is no test."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        monkeypatch.delitem(sys.modules, name)


def test_the_bench_writes_its_table_with_the_rows_that_were_asked_for(tmp_path):
    from tests.long.bench.__main__ import main

    result = CliRunner().invoke(main, [str(tmp_path), "--threads", "1", "--only", "no such row"])
    assert result.exit_code == 0, result.exception
    assert json.loads((tmp_path / "bench.json").read_text())["rows"] == []
    assert (tmp_path / "bench.md").read_text().startswith("| what | seconds | peak |")


def test_the_world_of_the_bench_can_be_trained_on(tmp_path):
    from tests.long.bench.core_rows import RUN
    from tests.long.bench.world import write_world

    examples = write_world(tmp_path, images=4, regions=5, feature_size=8).examples(RUN)
    batch = examples.batch(examples.rows_by_image("train"))
    assert batch.feature_IND.shape == (2, 5, 8) and len(batch.edges_E2) == 2 * 4 * 2
