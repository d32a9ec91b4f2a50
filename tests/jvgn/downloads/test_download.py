"""Downloads: complete or not at all, from the first mirror that has the file, resumed where an earlier try stopped."""

import hashlib
import multiprocessing
import re
import time

import pytest

from jvgn.downloads.download import obtain
from jvgn.settings.source import DownloadSettings, SourceSettings
from parsers.errors import UserError

from .downloads import FILE, KEPT, names


def test_a_file_is_downloaded_and_its_checksum_recorded(server, source, hasty, content):
    obtain(source(server.serve("a", content)), hasty)
    assert FILE.read_bytes() == content and names() == KEPT
    recorded = FILE.with_name("data.bin.sha256").read_text()
    assert recorded == f"{hashlib.sha256(content).hexdigest()}  data.bin\n"


@pytest.mark.parametrize("sha256", ["known", None])
def test_dead_then_truncated_then_good(server, source, hasty, content, sha256):
    mirrors = [
        server.serve("dead", content, status=503),
        server.serve("truncated", content, cut_at=1_500_000),
        server.serve("good", content),
    ]
    obtain(source(*mirrors, **({} if sha256 else {"sha256": None})), hasty)
    assert FILE.read_bytes() == content and names() == KEPT
    assert [path for path, _ in server.asked] == ["dead"] * 2 + ["truncated"] * 3 + ["good"]


BEHAVIOURS = {
    "an absent file": ({"status": 404}, "HTTP 404", 1),
    "an overloaded server": ({"status": 503}, "HTTP 503", 2),
    "a truncated answer": ({"cut_at": 70_000}, "stopped after 70,000 of 5,120,000 bytes", 2),
    "a web page": ({"headers": {"Content-Type": "text/html"}}, "a web page instead of the file", 1),
    "a redirection to a file": (
        {"status": 307, "headers": {"Location": "file:///etc/passwd"}},
        "Redirection to url 'file:///etc/passwd' is not allowed",
        1,
    ),
    "a compressed answer": ({"headers": {"Content-Encoding": "gzip"}}, "it sends the file compressed (gzip)", 1),
    "no length": ({"headers": {"Content-Length": None}, "cut_at": 70_000}, "does not send the size of the file", 1),
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_one_line_names_the_reason_of_each_mirror_and_the_path_of_the_file(server, source, hasty, content, behaviour):
    values, reason, tries = BEHAVIOURS[behaviour]
    mirrors = [server.serve("bad", content, **values), "file:nowhere.bin"]
    with pytest.raises(UserError) as error:
        obtain(source(*mirrors), hasty)
    message = str(error.value)
    assert message.startswith(f"{FILE}: no mirror has it ({mirrors[0]}: ") and reason in message
    assert f"{mirrors[1]}: No such file" in message and "put the file there" in message and "\n" not in message
    assert len(server.asked) == tries and not FILE.exists()


def test_a_stalled_transfer_is_retried_and_resumed(server, source, hasty, content):
    started = time.monotonic()
    obtain(source(server.serve("a", content, stall_at=2_000_000)), hasty)
    assert FILE.read_bytes() == content and server.sent["a"] == len(content)
    assert time.monotonic() - started < 5
    (_, first), (_, second) = server.asked
    assert first is None and re.fullmatch(r"bytes=19\d{5}-", second)


def test_a_connection_that_breaks_often_still_finishes(server, source, hasty, content):
    obtain(source(server.serve("a", content, breaks_every=1_100_000)), hasty)
    assert FILE.read_bytes() == content and server.sent["a"] == len(content) and len(server.asked) == 5


@pytest.mark.parametrize(
    "behaviour", [{"knows_ranges": False}, {"tag": None}, {"tag": 'W/"weak"'}], ids=["no ranges", "no tag", "weak tag"]
)
def test_a_server_that_cannot_resume_starts_over(server, source, hasty, content, behaviour):
    address = server.serve("a", content, cut_at=1_500_000, **behaviour)
    with pytest.raises(UserError):
        obtain(source(address), hasty)
    server.files["a"].cut_at = None
    obtain(source(address), hasty)
    assert FILE.read_bytes() == content and names() == KEPT


def test_a_later_run_resumes_from_the_mirror_of_the_partial_download(server, source, hasty, content):
    mirrors = [server.serve("first", content, status=503), server.serve("second", content, cut_at=1_500_000)]
    with pytest.raises(UserError):
        obtain(source(*mirrors), hasty)
    server.serve("first", content)
    server.serve("second", content)
    obtain(source(*mirrors), hasty)
    assert server.sent == {"second": len(content)} and FILE.read_bytes() == content


def download_slowly(mirror, sha256):
    source = SourceSettings(file=str(FILE), mirrors=(mirror,), sha256=sha256, provides={})
    obtain(source, DownloadSettings(timeout=30))


def test_a_killed_download_resumes_where_it_was(server, source, hasty, content):
    address = server.serve("a", content, stall_at=3_000_000)
    chosen = source(address)
    process = multiprocessing.get_context("fork").Process(target=download_slowly, args=(address, chosen.sha256))
    process.start()
    part = FILE.with_name("data.bin.part")
    while not (part.exists() and part.stat().st_size > 2_900_000):
        time.sleep(0.01)
    process.kill()
    process.join()
    there = part.stat().st_size
    obtain(chosen, hasty)
    assert FILE.read_bytes() == content and names() == KEPT
    assert server.asked[-1] == ("a", f"bytes={there}-") and server.sent["a"] == len(content)
