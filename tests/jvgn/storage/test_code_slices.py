"""Code slices: the files behind a module, an edit of which makes its results stale."""

from pathlib import Path

import grimp
import pytest

from jvgn.storage.code_slices import ROOT, code_behind

GRAPH = grimp.build_graph("jvgn", "parsers")


@pytest.mark.parametrize(
    "module", ["jvgn.training.run", "jvgn.regions.extraction", "jvgn.evaluation.score", "jvgn.graphs.parsing"]
)
def test_a_slice_holds_every_import(module):
    imported = {module, *GRAPH.find_upstream_modules(module)}
    paths = [ROOT.joinpath(*name.split(".")) for name in imported]
    expected = {path / "__init__.py" if path.is_dir() else path.with_suffix(".py") for path in paths}
    assert expected <= set(code_behind([module]).values())


def test_a_slice_holds_no_module_that_is_not_imported():
    assert "jvgn/evaluation/score.py" not in code_behind(["jvgn.training.run"])
    assert not any(name.startswith("parsers/words") for name in code_behind(["jvgn.training.run"]))


def test_a_slice_holds_the_backends_that_a_table_names():
    behind = code_behind(["jvgn.graphs.parsing"])
    assert {
        "parsers/lexical/__init__.py",
        "parsers/trees/conllu.py",
        "parsers/trees/stanza_backend.py",
    } <= behind.keys()


@pytest.mark.parametrize(
    ("module", "data"),
    [
        ("jvgn.graphs.parsing", "parsers/words/lists/places.txt"),
        ("jvgn.graphs.parsing", "parsers/corenlp/Feeder.java"),
        ("jvgn.views.gallery.gallery_page", "jvgn/views/gallery/page/gallery.js"),
        ("jvgn.paper.paper_tables", "jvgn/paper/published/table1.csv"),
    ],
)
def test_a_slice_holds_the_data_that_a_module_reads(module, data):
    assert data in code_behind([module])


def test_paths_are_relative_to_the_project():
    assert code_behind(["jvgn.boxes"])["jvgn/boxes.py"] == Path(ROOT / "jvgn/boxes.py")
