"""The explorer's server: for this machine alone, and for its own page alone.

It listens on 127.0.0.1. A request must be addressed to that name and port, or a stranger's page could have its own name
point here; one that carries data must come from our page. The page runs no code but its own.
"""

import logging
import socket
import threading
import webbrowser
from contextlib import suppress
from importlib.resources import files
from typing import Any

from flask import Flask, Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from jvgn.grounding.grounder import Grounder
from jvgn.settings.base import validated
from jvgn.storage.shown_text import one_line
from jvgn.views.explorer.address import ADDRESS
from jvgn.views.explorer.answers import Asked, answer
from jvgn.views.explorer.pictures import MOST_BYTES, Pictures
from parsers.errors import UserError

SAFETY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
PAGE = {
    "index.html": ("jvgn.views.explorer", "text/html"),
    "explorer.css": ("jvgn.views.explorer", "text/css"),
    "explorer.js": ("jvgn.views.explorer", "text/javascript"),
    "editor.js": ("jvgn.views.explorer", "text/javascript"),
    "gallery.css": ("jvgn.views.gallery", "text/css"),
    "drawing.js": ("jvgn.views.gallery", "text/javascript"),
}
"""The page's files: in which package each is, and what it is."""

log = logging.getLogger(__name__)


class Connection(WSGIRequestHandler):
    """It has a thread of its own, which ends even if whoever asks falls silent."""

    timeout = 60
    """Seconds without a byte."""

    def log_error(self, *_: object) -> None:
        """Browsers open connections that they never use: that is no news."""


def serve(app: Flask, listener: socket.socket, open_browser: bool) -> None:
    """Answers until Ctrl-C."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # not a line for every request
    port = listener.getsockname()[1]
    with suppress(KeyboardInterrupt), server_of(app, listener) as server:
        if open_browser:  # apart: a browser in a terminal would keep us waiting, and itself for us
            threading.Thread(target=webbrowser.open, args=[f"http://{ADDRESS}:{port}/"], daemon=True).start()
        server.serve_forever()


def server_of(app: Flask, listener: socket.socket) -> BaseWSGIServer:
    port, handle = listener.getsockname()[1], listener.fileno()
    return make_server(ADDRESS, port, app, threaded=True, request_handler=Connection, fd=handle)


def explorer(title: str, grounder: Grounder, pictures: Pictures, port: int) -> Flask:
    """The server's answers to each kind of request; errors are one line of JSON."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    one_at_a_time = threading.Lock()
    guard(app, port)
    report_errors(app)

    @app.get("/")
    @app.get("/page/<name>")
    def page(name: str = "index.html") -> Response:
        if name not in PAGE:
            abort(404)
        package, kind = PAGE[name]
        return Response((files(package) / "page" / name).read_bytes(), mimetype=kind)

    @app.get("/about")
    def about() -> Response:
        return jsonify(title=title, pictures=pictures.listed(), mostBytes=MOST_BYTES)

    @app.get("/thumbnails/<name>")
    def thumbnail(name: str) -> Response:
        return Response(pictures.thumbnail(name), mimetype="image/jpeg")

    @app.get("/pictures/<name>")
    def picture(name: str) -> Response:
        with one_at_a_time:
            return Response(pictures[name].jpeg, mimetype="image/jpeg")

    @app.post("/pictures")
    def upload() -> Response:
        data = request.get_data()  # which may come slowly: meanwhile, others are answered
        with one_at_a_time:
            return jsonify(name=pictures.upload(data))

    @app.post("/answers")
    def answers() -> Response:
        try:
            question = request.get_json()
        except RecursionError as error:
            raise UserError("the question: brackets are nested too deeply; ask in plain JSON") from error
        asked = validated(Asked, question, "the question")
        with one_at_a_time:
            return jsonify(answer(grounder, pictures, asked))

    return app


def guard(app: Flask, port: int) -> None:
    """Refuses what does not come from our own page, and tells the browser to trust nothing else."""
    named = "" if port == 80 else f":{port}"  # browsers leave out the port of the web
    hosts = {f"{name}{named}" for name in (ADDRESS, "localhost")}
    origins = {None} | {f"http://{host}" for host in hosts}

    @app.before_request
    def refuse_strangers() -> None:
        if request.headers.get("Host") not in hosts:
            abort(403, f"asked for under another name; open http://{ADDRESS}:{port}/")
        origin = request.headers.get("Origin")
        if origin not in origins or (origin is None and request.method not in ("GET", "HEAD")):
            abort(403, f"asked from another page; open http://{ADDRESS}:{port}/")

    @app.after_request
    def add_safety(response: Response) -> Response:
        response.headers.update(SAFETY)
        return response


def report_errors(app: Flask) -> None:
    def said(line: str, status: int) -> tuple[Response, int]:
        return jsonify(error=one_line(line)), status

    @app.errorhandler(UserError)
    def users(error: UserError) -> Any:
        return said(str(error), 400)

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Any:
        if error.code == 413:
            return said(f"more than {MOST_BYTES // 2**20} MB; make the picture smaller", 413)
        return said(error.description or error.name, error.code or 500)

    @app.errorhandler(Exception)
    def failed(error: Exception) -> Any:
        log.error("a request failed", exc_info=error)
        return said(f"the server failed ({type(error).__name__}); the terminal says where", 500)
