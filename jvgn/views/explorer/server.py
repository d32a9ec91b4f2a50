"""The explorer's server: for this machine and its own page only.

It listens on 127.0.0.1. A request must name this address as its host, or else a foreign page could point its own name
here; a request with data must come from our page. The page runs no code but its own.
"""

import logging
import socket
import threading
import webbrowser
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import make_server

from jvgn.settings.base import validated
from jvgn.storage.shown_text import one_line
from parsers.errors import UserError

if TYPE_CHECKING:  # they load torch, and a port that is taken is reported before
    from jvgn.grounding.grounder import Grounder
    from jvgn.grounding.rule_grounder import RuleGrounder
    from jvgn.views.explorer.image_list import ImageList

ADDRESS = "127.0.0.1"
SAFETY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
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
"""The package and the type of each file of the page."""

log = logging.getLogger(__name__)


def listening(port: int) -> socket.socket:
    """Open a socket that only this machine can reach; port 0 is any free one."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        cure = "give another one, or 0 for any free one"
        raise UserError(f"--port {port}: cannot be opened ({error.strerror}); {cure}") from error
    listener.listen()
    return listener


def serve(app: Flask, listener: socket.socket, open_browser: bool) -> None:
    """Answer requests until Ctrl-C."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # not a line for every request
    port = listener.getsockname()[1]
    server = make_server(ADDRESS, port, app, threaded=True, fd=listener.fileno())
    with suppress(KeyboardInterrupt), server:
        if open_browser:  # in a thread: a browser in the terminal would block
            threading.Thread(target=webbrowser.open, args=[f"http://{ADDRESS}:{port}/"], daemon=True).start()
        server.serve_forever()


def explorer(
    title: str,
    grounder: "Grounder | RuleGrounder",
    images: "ImageList",
    port: int,
    opens: bool = False,
    of_uploads: str | None = None,
) -> Flask:
    """Return the server's answers to each kind of request. An error is one line of JSON.

    If it `opens`, the page begins with the first image and its first sentence. `of_uploads` is a warning that is shown
    with every uploaded picture.
    """
    from jvgn.views.explorer.answers import Asked, answer
    from jvgn.views.explorer.image_list import MOST_BYTES

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
        return jsonify(title=title, pictures=images.listed(), mostBytes=MOST_BYTES, opens=opens, ofUploads=of_uploads)

    @app.get("/thumbnails/<name>")
    def thumbnail(name: str) -> Response:
        return Response(images.thumbnail(name), mimetype="image/jpeg")

    @app.get("/pictures/<name>")
    def picture(name: str) -> Response:
        with one_at_a_time:
            return Response(images[name].jpeg, mimetype="image/jpeg")

    @app.post("/pictures")
    def upload() -> Response:
        data = request.get_data()
        with one_at_a_time:
            return jsonify(name=images.upload(data))

    @app.post("/answers")
    def answers() -> Response:
        asked = validated(Asked, request.get_json(), "the question")
        with one_at_a_time:
            return jsonify(answer(grounder, images, asked))

    return app


def guard(app: Flask, port: int) -> None:
    """Refuse requests that are not from our own page, and tell the browser to load nothing else."""
    suffix = "" if port == 80 else f":{port}"  # browsers leave out port 80
    hosts = {f"{name}{suffix}" for name in (ADDRESS, "localhost")}
    origins = {None} | {f"http://{host}" for host in hosts}

    @app.before_request
    def refuse_other_pages() -> None:
        if request.headers.get("Host") not in hosts:
            abort(403, f"the host name is not this machine's; open http://{ADDRESS}:{port}/")
        origin = request.headers.get("Origin")
        if origin not in origins or (origin is None and request.method not in ("GET", "HEAD")):
            abort(403, f"the request comes from another page; open http://{ADDRESS}:{port}/")

    @app.after_request
    def add_safety(response: Response) -> Response:
        response.headers.update(SAFETY)
        return response


def report_errors(app: Flask) -> None:
    def answered(line: str, status: int) -> tuple[Response, int]:
        return jsonify(error=one_line(line)), status

    @app.errorhandler(UserError)
    def mistaken(error: UserError) -> Any:
        return answered(str(error), 400)

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Any:
        if error.code == 413:
            most = app.config["MAX_CONTENT_LENGTH"] // 2**20
            return answered(f"the upload has more than {most} MB; make the image smaller", 413)
        return answered(error.description or error.name, error.code or 500)

    @app.errorhandler(Exception)
    def failed(error: Exception) -> Any:
        log.error("a request failed", exc_info=error)
        return answered(f"the server failed ({type(error).__name__}); see the terminal", 500)
