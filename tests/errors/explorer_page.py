"""The explorer's page without a browser: it asks the server, which refuses a mistake in one line as commands do."""

from pathlib import Path

from flask.testing import FlaskClient

from tests.errors.project import DATASET, IMAGES, RUN

PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"


def open_page(project: Path) -> FlaskClient:
    from jvgn.grounding.grounder import Grounder
    from jvgn.views.explorer.image_list import ImageList
    from jvgn.views.explorer.server import explorer

    grounder = Grounder.load(project / RUN)
    return explorer("a run", grounder, ImageList(grounder, project / DATASET, project / IMAGES), PORT).test_client()


def ask(
    page: FlaskClient, method: str, path: str, body: str | bytes = b"", origin: str = ADDRESS, address: str = ADDRESS
) -> tuple[int, str]:
    """1 where the server refuses, as a command's exit code, and what it says."""
    kind = "application/json" if isinstance(body, str) else "application/octet-stream"
    answer = page.open(path, method=method, data=body, content_type=kind, headers={"Origin": origin}, base_url=address)
    return int(400 <= answer.status_code < 500), answer.json["error"] if answer.is_json else answer.text
