"""Provision: the workflow's files are made from published files; existing ones are used as they are."""

import zipfile

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.downloads.download import fetch, provide

ARCHIVE = "resources/downloads/set.zip"
PROVIDED = {"resources/set/refs(unc).p": "set/refs(unc).p", "resources/set/pictures": "set/pictures/"}


@pytest.fixture
def archive(folder):
    """The path of a published archive."""
    with zipfile.ZipFile(folder / "published.zip", "w") as archive:
        archive.writestr("set/refs(unc).p", "refs")
        archive.writestr("set/pictures/a.jpg", "picture")
    return folder / "published.zip"


@pytest.fixture
def published(server, source, archive):
    """Makes a source of the archive, on the server."""
    return lambda **values: source(
        server.serve("set.zip", archive), **{"file": ARCHIVE, "sha256": None, "provides": PROVIDED} | values
    )


def test_all_that_a_source_provides_is_fetched(published, hasty, folder):
    assert fetch(published(), hasty) == list(PROVIDED)
    assert (folder / "resources/set/refs(unc).p").read_text() == "refs"
    assert (folder / "resources/set/pictures/a.jpg").read_text() == "picture"


def test_verify_finds_damage_in_provided_files(published, hasty, folder):
    """Files have records beside them, pictures have checksums in their folder."""
    fetch(published(), hasty)
    assert verified() == []
    for name in ("resources/set/refs(unc).p", "resources/set/pictures/a.jpg", ARCHIVE):
        whole = (folder / name).read_bytes()
        (folder / name).write_text("damaged")
        stale = ["stale resources/set/refs(unc).p:"] if name == ARCHIVE else []
        assert verified() == [f"broken {name}:", *stale]
        (folder / name).write_bytes(whole)


def verified():
    """Return the files that `jvgn verify` reports."""
    said = CliRunner().invoke(main, ["verify", "resources"]).stdout
    return [" ".join(line.split()[:2]) for line in said.splitlines() if not line.startswith("resources")]


def test_files_that_the_user_unpacked_are_used_as_they_are(published, hasty, folder, server):
    for name in ("resources/set/refs(unc).p", "resources/set/pictures/mine.jpg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    chosen = published()
    assert fetch(chosen, hasty) == [] and server.asked == []
    for target in PROVIDED:
        provide(chosen, target)
    assert (folder / "resources/set/refs(unc).p").read_text() == "mine"
    assert not (folder / "resources/set/pictures/a.jpg").exists()


def test_an_archive_that_the_user_brought_is_verified_and_unpacked_without_a_network(
    published, hasty, folder, server, archive
):
    (folder / ARCHIVE).parent.mkdir(parents=True)
    archive.rename(folder / ARCHIVE)
    fetch(published(), hasty)
    assert (folder / "resources/set/refs(unc).p").read_text() == "refs" and server.asked == []


def test_a_file_that_is_not_an_archive_is_linked(source, server, hasty, folder, content):
    chosen = source(server.serve("a", content), provides={"resources/weights/net.pth": None})
    fetch(chosen, hasty)
    assert (folder / "resources/weights/net.pth").samefile(folder / chosen.file)
