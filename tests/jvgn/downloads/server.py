"""A web server on 127.0.0.1 whose files misbehave as the test asks, and which counts the bytes that it sends."""

import hashlib
import re
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

BLOCK = 1 << 16


@dataclass
class Served:
    """A file on the server, and how it behaves."""

    content: bytes | Path
    status: int = 200
    cut_at: int | None = None
    """Whatever part is asked for, no byte from this one on is ever sent; the length is announced in full."""
    stall_at: int | None = None
    """Before this byte the server falls silent, once."""
    breaks_every: int | None = None
    """The connection ends after so many bytes."""
    knows_ranges: bool = True
    tag: str | None = "by content"
    """The ETag; None for none."""
    headers: dict[str, str] = field(default_factory=dict)

    @cached_property
    def bytes(self):
        return self.content.read_bytes() if isinstance(self.content, Path) else self.content

    @cached_property
    def etag(self):
        return f'"{hashlib.md5(self.bytes).hexdigest()}"' if self.tag == "by content" else self.tag


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, Served] = {}
        self.sent: Counter[str] = Counter()
        """Bytes of content, for each path."""
        self.asked: list[tuple[str, str | None]] = []
        """Each request's path and range."""

    def serve(self, path, content, **behaviour):
        """The address of a new file."""
        self.files[path] = Served(content, **behaviour)
        return self.address(path)

    def address(self, path):
        return f"http://127.0.0.1:{self.server_port}/{quote(path)}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, wanted = unquote(self.path).lstrip("/"), self.headers["Range"]
        self.server.asked.append((path, wanted))
        self.close_connection = True
        file = self.server.files.get(path)
        if file is None or file.status >= 400:
            self.send_error(404 if file is None else file.status)
            return
        content, first = file.bytes, 0
        validators = (None, file.etag, file.headers.get("Last-Modified"))
        if wanted and file.knows_ranges and self.headers["If-Range"] in validators:
            first = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])
            if first >= len(content):
                self.send_error(416)
                return
        self.send_response(206 if first else file.status)
        headers = {"Content-Length": str(len(content) - first), "ETag": file.etag}
        if first:
            headers["Content-Range"] = f"bytes {first}-{len(content) - 1}/{len(content)}"
        for name, value in (headers | file.headers).items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # who asked may be gone
            self.send_content(path, file, content, first)

    def send_content(self, path, file, content, first):
        ends = [len(content), file.cut_at, file.breaks_every and first + file.breaks_every]
        end = min(end for end in ends if end is not None)
        for start in range(first, end, BLOCK):
            stop = min(start + BLOCK, end)
            if file.stall_at is not None and stop > file.stall_at:
                file.stall_at = None
                time.sleep(1.5)
                return
            self.wfile.write(content[start:stop])
            self.server.sent[path] += stop - start

    def log_message(self, *_):
        pass


@contextmanager
def running_server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
