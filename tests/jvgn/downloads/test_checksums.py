"""Checksums: a download, or a file of the user's, is the published file."""

import hashlib

import pytest

from jvgn.downloads.download import obtain
from parsers.errors import UserError

from .downloads import FILE, KEPT, names


def test_wrong_bytes_are_refused_and_the_next_mirror_tried(server, source, hasty, content):
    wrong = server.serve("wrong", content[::-1])
    with pytest.raises(UserError, match=rf"{wrong}: its SHA-256 is [0-9a-f]{{64}}, expected [0-9a-f]{{64}}\)"):
        obtain(source(wrong), hasty)
    assert names() == []
    obtain(source(wrong, server.serve("good", content)), hasty)
    assert FILE.read_bytes() == content


def test_another_size_than_the_published_one_is_refused_before_it_is_downloaded(server, source, hasty, content):
    with pytest.raises(UserError, match="it has 5,120,000 bytes, expected 7"):
        obtain(source(server.serve("a", content), size=7), hasty)
    assert server.sent["a"] < len(content)


def test_the_first_digits_of_a_checksum_are_enough(server, source, hasty, content):
    obtain(source(server.serve("a", content), sha256=hashlib.sha256(content).hexdigest()[:8]), hasty)
    assert FILE.read_bytes() == content


def test_an_unknown_checksum_is_recorded_on_the_first_download_and_expected_later(server, source, hasty, content):
    obtain(source(server.serve("a", content), sha256=None), hasty)
    FILE.unlink()
    with pytest.raises(UserError, match=r"expected [0-9a-f]{64} as recorded in .*data\.bin\.sha256"):
        obtain(source(server.serve("b", content[::-1]), sha256=None), hasty)
    assert not FILE.exists()


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_a_file_that_is_not_an_archive_is_not_recorded_as_one(server, source, hasty, content, name):
    chosen = source(server.serve("a", content), sha256=None, file=f"resources/downloads/{name}")
    with pytest.raises(UserError, match="not a readable archive"):
        obtain(chosen, hasty)
    assert names() == []


def test_a_file_of_the_users_is_verified_and_used_without_a_network(source, hasty, content):
    FILE.parent.mkdir(parents=True)
    FILE.write_bytes(content)
    obtain(source("http://127.0.0.1:9/gone"), hasty)
    assert FILE.read_bytes() == content and names() == KEPT


@pytest.mark.parametrize("values", [{}, {"sha256": None, "size": 5}])
def test_a_wrong_file_of_the_users_is_refused_but_neither_fetched_over_nor_deleted(server, source, hasty, values):
    FILE.parent.mkdir(parents=True)
    FILE.write_bytes(b"mine")
    with pytest.raises(UserError, match=r"data\.bin: its? (SHA-256 is|has 4 bytes).*replace it or move it away"):
        obtain(source(server.serve("a", b"theirs"), **values), hasty)
    assert FILE.read_bytes() == b"mine" and server.asked == []
