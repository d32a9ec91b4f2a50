"""Downloads that no mirror gives, and files whose bytes are not the published ones."""

import fcntl
import json
from collections.abc import Callable
from typing import Any

from tests.errors.case import Bench, Case
from tests.errors.configurations import configured
from tests.jvgn.downloads.server import Server, running_server

FILE = "resources/data.bin"
SOURCE = {"file": FILE, "mirrors": ["file:published"], "provides": {"resources/data/data.bin": None}}
HASTY = json.dumps({"tries": 1, "wait": 0, "timeout": 0.3})
HELP = (
    "run it again later, or get the file yourself and put it there: it is then verified and used, and nothing is"
    " downloaded"
)
BAD_RECORD = "…: expected a SHA-256 and a file's name; delete it, and the next download is recorded"
UNREADABLE = "…: cannot be read (…); put a readable file there"
UNWRITABLE = "…: cannot be written (…); see to the disk, then run it again"

Arrange = Callable[[Bench], list[Any]]


def no_mirror(reason: str) -> str:
    return f"…: none of its mirrors has it (…{reason}); {HELP}"


def brought_file(problem: str) -> str:
    return (
        f"…: {problem}; put the right file there or move this one away, or if it is what you mean, say so in"
        " config.yaml (sources: sha256, size) and delete …"
    )


def download(**values: Any) -> list[str]:
    return ["download", "--source", json.dumps(SOURCE | values), "--downloads", HASTY]


def beside(files: dict[str, bytes], **values: Any) -> Arrange:
    """Downloads where these files are, `published` being the mirror's."""

    def arrange(bench: Bench) -> list[Any]:
        for name, content in files.items():
            bench.write(name, content)
        return download(**values)

    return arrange


def served(content: bytes = bytes(1000), part: bytes = b"", size: int | None = None, **behaviour: Any) -> Arrange:
    """Downloads from a server that behaves so, where a part of 1000 bytes may have come already."""

    def arrange(bench: Bench) -> list[Any]:
        server: Server = bench.fixture("held").enter_context(running_server())
        address = server.serve("data.bin", content, **behaviour)
        if part:
            known = {"mirror": address, "validator": server.files["data.bin"].etag, "size": 1000}
            bench.write(f"{FILE}.part", part)
            bench.write(f"{FILE}.part.json", json.dumps(known))
        return download(mirrors=[address], size=size)

    return arrange


def being_downloaded(bench: Bench) -> list[Any]:
    part = bench.fixture("held").enter_context(bench.write(f"{FILE}.part", b"first bytes").open("rb"))
    fcntl.flock(part, fcntl.LOCK_EX)
    return download()


def folder_in_the_way(name: str) -> Arrange:
    def arrange(bench: Bench) -> list[Any]:
        bench.write("published", b"bytes")
        (bench.folder / name).mkdir(parents=True)
        return download()

    return arrange


def target_below_a_file(bench: Bench) -> list[Any]:
    bench.write(FILE, b"bytes")
    bench.write("resources/data", b"no folder")
    return ["provide", "--source", json.dumps(SOURCE), "resources/data/data.bin"]


MIRRORS = [
    Case("there is no source …; there are: …", configured({}, "fetch", "refcocoh")),
    Case(no_mirror(""), lambda bench: download(mirrors=["file:nothing", "http://127.0.0.1:9/data.bin"])),
    Case(no_mirror(": HTTP … …"), served(status=404)),
    Case(no_mirror(": HTTP … …"), served(status=302, headers={"Location": "ftp://127.0.0.1:9/data.bin"})),
    Case(no_mirror(": nothing came for … seconds"), served(stall_at=0)),
    Case(
        no_mirror(": it is no address that can be asked (…)"), lambda bench: download(mirrors=["http://[::1/data.bin"])
    ),
    Case(no_mirror(": it answers with a web page instead of the file"), served(headers={"Content-Type": "text/html"})),
    Case(
        no_mirror(": it sends the file compressed (…), expected its own bytes"),
        served(headers={"Content-Encoding": "gzip"}),
    ),
    Case(
        no_mirror(": it sends more than the … bytes that were expected"),
        served(bytes(2000), size=1000, headers={"Content-Length": None}),
    ),
    Case(
        no_mirror(
            ": it does not say how many bytes there are, so a part could be taken for all; give the source's `size`"
        ),
        served(headers={"Content-Length": None}),
    ),
    Case(no_mirror(": it broke off after … of … bytes"), served(cut_at=600)),
    Case(no_mirror(": it no longer has the bytes that follow; starting anew"), served(bytes(100), part=bytes(500))),
    Case(
        no_mirror(": it sent other bytes than those that follow; starting anew"),
        served(part=bytes(500), headers={"Content-Range": "bytes 400-999/1000"}),
    ),
    Case(no_mirror(": it has … bytes, expected …"), beside({"published": b"bytes"}, size=4)),
    Case(no_mirror(": it is empty"), beside({"published": b""})),
    Case(no_mirror(": its SHA-256 is …, expected …"), beside({"published": b"bytes"}, sha256="0123456789")),
    Case(
        no_mirror(": its SHA-256 is …, expected …"),
        beside({"published": b"bytes", f"{FILE}.sha256": b"0" * 64 + b"  data.bin"}),
    ),
    Case(
        no_mirror(": it is no readable archive: truncated, or something else"),
        beside({"published": b"bytes"}, file="resources/data.zip"),
    ),
]
FILES = [
    Case("…: another process is at work on it; wait for it", being_downloaded),
    Case(UNWRITABLE, folder_in_the_way(f"{FILE}.part")),
    Case("…: cannot be written (…); give a folder you may write to", target_below_a_file),
    Case(BAD_RECORD, beside({FILE: b"bytes", f"{FILE}.sha256": b"no hash"})),
    Case(BAD_RECORD, folder_in_the_way(f"{FILE}.sha256")),
    Case(UNREADABLE, folder_in_the_way(FILE)),
    Case(UNREADABLE, lambda bench: ["provide", "--source", json.dumps(SOURCE), "resources/data/data.bin"]),
    Case(brought_file("it is empty"), beside({FILE: b""})),
    Case(brought_file("it has … bytes, expected …"), beside({FILE: b"bytes"}, size=4)),
    Case(brought_file("its SHA-256 is …, expected …"), beside({FILE: b"bytes"}, sha256="0123456789")),
    Case(
        brought_file("it is no readable archive: truncated, or something else"),
        beside({"resources/data.zip": b"bytes"}, file="resources/data.zip"),
    ),
    Case(
        "…: … does not provide it; it has: …", lambda bench: ["provide", "--source", json.dumps(SOURCE), "resources/a"]
    ),
]
CASES = MIRRORS + FILES
