"""A server of misbehaving files, and sources that are downloaded from it into a folder of their own."""

import hashlib

import pytest

from jvgn.settings.source import DownloadSettings, SourceSettings

from .downloads import FILE
from .server import running_server

CONTENT = bytes(range(256)) * 20_000


@pytest.fixture
def server():
    with running_server() as server:
        yield server


@pytest.fixture
def content():
    return CONTENT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the resources are: sources name them by relative paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def source(folder):
    """Makes a source of a file with the content, whose hash is known unless another is given."""

    def make(*mirrors, **values):
        known = {"file": str(FILE), "sha256": hashlib.sha256(CONTENT).hexdigest(), "provides": {}}
        return SourceSettings(**known | values, mirrors=mirrors)

    return make


@pytest.fixture
def hasty():
    return DownloadSettings(tries=2, wait=0.01, timeout=0.5)
