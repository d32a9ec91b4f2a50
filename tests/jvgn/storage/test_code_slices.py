"""Code slices: the files behind a module, an edit of which makes its results stale."""

import pytest

from jvgn.storage.code_slices import code_behind


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
