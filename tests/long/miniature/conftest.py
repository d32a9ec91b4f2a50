"""A clone of the project in an empty folder, and a local server that replaces the internet."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.jvgn.downloads.server import Server, running_server
from tests.long.miniature.published import publish

ROOT = Path(__file__).parents[3]
PUBLISHED = {
    "coco-images": "train2014.zip",
    "coco-annotations": "annotations_trainval2014.zip",
    "refcoco": "refcoco.zip",
    "refcoco+": "refcoco+.zip",
    "refcocog": "refcocog.zip",
    "glove": "glove.840B.300d.zip",
    "resnet101": "resnet101-63fe2227.pth",
    "resnet50": "resnet50-0676ba61.pth",
    "flickr30k-entities": "flickr30k_entities.zip",
}


def pytest_collection_modifyitems(items):
    if not os.environ.get("JVGN_MINIATURE"):
        for item in (item for item in items if item.path.is_relative_to(Path(__file__).parent)):
            item.add_marker(pytest.mark.skip(reason="takes minutes: make miniature"))


@dataclass(frozen=True)
class Clone:
    """The project with a second configuration file that names the mirrors of the local server."""

    folder: Path

    def configure(self, sources, **more):
        """Override the built-in sources; those that are not named cannot be reached."""
        (self.folder / "miniature.yaml").write_text(yaml.safe_dump({"preset": "smoke", "sources": sources} | more))

    def command(self, *arguments):
        return [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "miniature.yaml", *arguments]

    def snakemake(self, *arguments):
        """Run the command of a user."""
        return subprocess.run(
            self.command(*arguments), cwd=self.folder, capture_output=True, text=True, check=False, timeout=1800
        )

    def log(self, name):
        return (self.folder / "logs" / name).read_text()


def clone(folder):
    for name in ("jvgn", "parsers", "workflow", "envs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Snakefile", "config.yaml"):
        shutil.copy(ROOT / name, folder)
    return Clone(folder)


@pytest.fixture
def project(tmp_path):
    return clone(tmp_path)


@dataclass(frozen=True)
class Internet:
    """The published files, and the server that has them."""

    server: Server
    folder: Path
    counts: dict[str, dict[str, int]]

    def sources(self):
        """Return a mirror for each source."""
        return {name: {"mirrors": [self.server.serve(file, self.folder / file)]} for name, file in PUBLISHED.items()}


@pytest.fixture(scope="session")
def internet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    counts = publish(folder)
    with running_server() as server:
        yield Internet(server, folder, counts)
