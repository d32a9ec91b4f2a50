"""The server answers its own page only, reports every mistake in one line, and writes nothing to disk."""

import struct
import zlib

import pytest

from jvgn.views.explorer.image_list import MOST_BYTES
from jvgn.views.explorer.server import PAGE, listening


def error_of(response):
    assert response.content_type == "application/json"
    assert set(response.json) == {"error"} and "\n" not in response.json["error"]
    return response.json["error"]


def uploaded(client, data):
    return client.post("/pictures", data=data, content_type="application/octet-stream")


@pytest.mark.parametrize("path", ["/", *(f"/page/{name}" for name in PAGE)])
def test_the_page_runs_no_code_but_its_own(client, path):
    response = client.get(path)
    assert response.status_code == 200 and response.data
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy and "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_the_evaluated_images_are_offered_with_their_sentences(client):
    about = client.get("/about").json
    assert about["title"] == "a run"
    sentences = ["the cup on a box", "red <b>disc</b>"]
    assert about["pictures"] == [{"name": "7", "split": "test, val", "sentences": sentences}]
    assert client.get("/thumbnails/7").content_type == client.get("/pictures/7").content_type == "image/jpeg"


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("get", {"Host": "evil.example:8765"}, 403),  # its name may point to this machine
        ("get", {"Host": "127.0.0.1:80"}, 403),
        ("get", {"Host": "localhost:8765", "Origin": "http://localhost:8765"}, 200),
        ("get", {"Origin": "https://evil.example"}, 403),
        ("post", {"Origin": "https://evil.example"}, 403),
        ("post", {"Origin": "null"}, 403),
        ("post", {"Origin": "http://127.0.0.1:3000"}, 403),
        ("post", {"Origin": ""}, 403),
        ("post", {}, 200),
    ],
)
def test_requests_of_other_pages_and_hosts_are_refused(client, method, headers, status):
    question = {"json": {"picture": "7", "text": "cup"}} if method == "post" else {}
    response = getattr(client, method)("/answers" if question else "/about", headers=headers, **question)
    assert response.status_code == status
    if status == 403:
        assert "open http://127.0.0.1:8765/" in error_of(response)
        assert "Access-Control-Allow-Origin" not in response.headers


def test_a_request_with_data_must_have_an_origin(client):
    del client.environ_base["HTTP_ORIGIN"]
    assert client.get("/about").status_code == 200
    assert client.post("/answers", json={"picture": "7", "text": "cup"}).status_code == 403


GRAPH = {"nodes": [{"head": "cup"}, {"head": "box"}], "edges": [], "referent": 0}
EDGES = [{"subject": 0, "relation": "on", "object": 1}, {"subject": 1, "relation": "left of", "object": 0}]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"text": " "}, "the sentence is empty"),
        ({"picture": "8"}, "image 8: not available"),
        ({"picture": "../../etc/passwd"}, "not available"),
        ({"text": 4}, "the question: text: Input should be a valid string"),
        ({"text": "cup " * 1000}, "the question: text: String should have at most 2000 characters"),
        ({"more": 1}, "the question: unknown key more"),
        ({"graph": GRAPH | {"nodes": []}}, "the referent is object 1, but there are 0"),
        (
            {"graph": GRAPH | {"nodes": [{"head": "cup"}] * 41}},
            "graph.nodes: Tuple should have at most 40",
        ),
        ({"graph": GRAPH | {"edges": EDGES}}, "relation 2 (left of) closes a loop"),
        ({"graph": GRAPH | {"referent": 7}}, "the referent is object 8, but there are 2"),
    ],
)
def test_an_invalid_question_is_one_line(client, question, message):
    response = client.post("/answers", json={"picture": "7", "text": "cup"} | question)
    assert response.status_code == 400 and message in error_of(response)


def test_markup_is_returned_as_data(client):
    answered = client.post("/answers", json={"picture": "7", "text": "<script>alert(1)</script> cup"})
    assert answered.content_type == "application/json" and "script" in answered.json["tokens"]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
def test_an_uploaded_picture_is_grounded(client, encoded, kind):
    name = uploaded(client, encoded((60, 30), kind=kind)).json["name"]
    assert name == "upload-1"
    assert client.get(f"/pictures/{name}").content_type == "image/jpeg"
    assert client.post("/answers", json={"picture": name, "text": "cup on a box"}).json["size"] == [60, 30]


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"<html>", SVG, b"%PDF-1.4", b"%!PS-Adobe-3.0 EPSF-3.0\n"])
def test_an_upload_that_is_not_an_image_is_refused_whatever_its_type(client, data):
    response = client.post("/pictures", data=data, content_type="image/png")
    assert response.status_code == 400
    assert error_of(response).startswith("the upload is not a readable image")


def test_a_small_file_of_very_many_pixels_is_refused_before_it_is_decoded(client, encoded):
    head = b"IHDR" + struct.pack(">II", 8000, 6000) + b"\x08\x02\0\0\0"
    data = encoded()[:12] + head + struct.pack(">I", zlib.crc32(head)) + encoded()[33:]
    assert "8000 x 6000 pixels, more than 40 million" in error_of(uploaded(client, data))


def test_a_large_file_is_refused(client):
    response = uploaded(client, bytes(MOST_BYTES + 1))
    assert response.status_code == 413 and "more than 20 MB" in error_of(response)


def test_nothing_is_written(client, encoded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = sorted(tmp_path.rglob("*"))
    name = uploaded(client, encoded((2000, 2000))).json["name"]
    assert client.post("/answers", json={"picture": name, "text": "cup"}).status_code == 200
    assert sorted(tmp_path.rglob("*")) == before


def test_only_this_machine_is_listened_to():
    with listening(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
