"""ImageNet weights come whole or not at all, and a download that was interrupted goes on."""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from jvgn.regions.detector import BACKBONES, PublishedWeights, published_weights
from jvgn.regions.fetching import fetch
from parsers.files import UserError

CONTENT = bytes(range(256)) * 20_000
PREFIX = hashlib.sha256(CONTENT).hexdigest()[:8]


class Server(ThreadingHTTPServer):
    """Knows one file; breaks off after so many bytes; notes the ranges it is asked for."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.breaks_off_after, self.ranges, self.knows_ranges = len(CONTENT), [], True

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/weights.pth"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = self.headers["Range"]
        self.server.ranges.append(asked)
        first = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and self.server.knows_ranges else 0
        if first >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(CONTENT) - first))
        self.end_headers()
        self.wfile.write(CONTENT[first : self.server.breaks_off_after])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def output(tmp_path):
    return tmp_path / "weights" / "resnet101.pth"


def names_beside(path):
    return [found.name for found in path.parent.iterdir()]


def test_weights_are_fetched_whole(server, output):
    fetch(PublishedWeights(server.address, PREFIX), output)
    assert output.read_bytes() == CONTENT
    assert names_beside(output) == [output.name]


def test_weights_are_fetched_from_a_file(tmp_path, output):
    (tmp_path / "theirs.pth").write_bytes(CONTENT)
    fetch(PublishedWeights((tmp_path / "theirs.pth").as_uri(), PREFIX), output)
    assert output.read_bytes() == CONTENT


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_an_interrupted_download_goes_on(server, output, knows_ranges):
    server.knows_ranges, server.breaks_off_after = knows_ranges, 1_500_000
    with pytest.raises(UserError, match=r"broke off after 1500000 of 5120000 bytes\); run it again to go on"):
        fetch(PublishedWeights(server.address, PREFIX), output)
    assert names_beside(output) == ["resnet101.pth.part"]
    server.breaks_off_after = len(CONTENT)
    fetch(PublishedWeights(server.address, PREFIX), output)
    assert output.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=1500000-"]


def test_a_download_that_was_whole_already_is_kept(server, output):
    output.parent.mkdir()
    output.with_name("resnet101.pth.part").write_bytes(CONTENT)
    fetch(PublishedWeights(server.address, PREFIX), output)
    assert names_beside(output) == [output.name]


def test_other_bytes_than_the_published_ones_are_refused(server, output):
    with pytest.raises(UserError, match=r"resnet101\.pth: expected a SHA-256 that starts with 00000000 .*nothing was"):
        fetch(PublishedWeights(server.address, "00000000"), output)
    assert names_beside(output) == []


def test_without_a_server_one_line_says_where_to_put_the_file(output):
    with Server() as gone:
        address = gone.address
    with pytest.raises(UserError, match=r"weights/resnet101\.pth: cannot be .* put the file there yourself") as error:
        fetch(PublishedWeights(address, PREFIX), output)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("backbone", sorted(BACKBONES.keys() - {"tiny"}))
def test_the_library_tells_where_weights_are_and_how_their_hash_starts(backbone):
    found = published_weights(backbone)
    assert f"/{backbone}-{found.sha256_prefix}.pth" in found.address
    assert re.fullmatch("[0-9a-f]{8}", found.sha256_prefix)
