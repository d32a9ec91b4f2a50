"""A source that is not installed says how to get it."""

import sys

import pytest

from jvgn.detector.loading import load_source, untrained
from jvgn.settings.detector import Detectron2Settings
from parsers.errors import UserError


def test_without_detectron2_the_message_says_where_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "detectron2", None)  # an import then fails, whatever is installed
    monkeypatch.delitem(sys.modules, "jvgn.detector.detectron2", raising=False)
    settings = Detectron2Settings(source="detectron2")
    for use in (lambda: load_source(settings, tmp_path / "weights.safetensors"), lambda: untrained(settings, 2)):
        with pytest.raises(UserError, match="conda install --channel conda-forge detectron2") as error:
            use()
        assert "\n" not in str(error.value)
