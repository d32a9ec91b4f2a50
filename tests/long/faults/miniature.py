"""The project that is disturbed: the embedded world in shards, both settings, and some downloads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.jvgn.downloads.server import Server
from tests.long.faults.content import contents, remove
from tests.long.faults.jobs import Job, jobs_in
from tests.long.miniature.published import UNC, Photographs, write_annotations, write_glove, write_images, write_refer
from tests.workflow.conftest import Project, copy_project, miniature_configuration

PUBLISHED = {
    "coco-images": "train2014.zip",
    "coco-annotations": "annotations_trainval2014.zip",
    "refcoco": "refcoco.zip",
    "glove": "glove.840B.300d.zip",
}
TARGETS = (
    "demo",
    "results/shapes_gt/compare.csv",
    "results/tables/supporting.html",
    "results/vocabulary/shapes/sweep.csv",
    "results/vocabulary/shapes/glove/words.parquet",
    "results/graphs/refcoco/lexical/nodes.parquet",
    "results/datasets/coco/images.parquet",
    "resources/coco/train2014.ready",
)
PROFILE = ("--workflow-profile", "workflow/profiles/local")
PATIENCE = 1.0
"""Seconds without a byte after which a download is tried again."""


def configuration(mirrors: Mapping[str, str]) -> dict[str, Any]:
    """Return a small configuration that saves states often, so that jobs can resume."""
    config = miniature_configuration()
    config["shapes"] |= {"train": 40, "expressions_per_image": 4}
    config["detectors"]["tiny"] |= {"epochs": 1, "save_every": 1}
    shapes = config["datasets"]["shapes"]
    shapes |= {"shards": 2}
    shapes["regions"] |= {"batch_size": 1}
    shapes["run"]["training"] |= {"save_every": 1}
    config["datasets"]["refcoco"] |= {"shards": 1}
    config["compare"] = {"runs": ["default", "unmarginalised"], "seeds": [0]}
    config["sources"] = {name: {"mirrors": [mirror]} for name, mirror in mirrors.items()}
    config["downloads"] |= {"wait": 0.1, "timeout": PATIENCE}
    return config


def publish(folder: Path) -> None:
    """Write the files that are downloaded, under the published names."""
    folder.mkdir(parents=True)
    photographs = Photographs(folder / "drawn")
    refs = {"unc": photographs.refs_of(UNC), "google": photographs.refs_of(UNC)}
    write_refer(folder / PUBLISHED["refcoco"], "refcoco", refs, photographs.instances(only_described=True))
    write_images(folder / PUBLISHED["coco-images"], photographs)
    write_annotations(folder / PUBLISHED["coco-annotations"], photographs)
    write_glove(folder / PUBLISHED["glove"], photographs)


def mirrors(server: Server, folder: Path, within: str = "all", **behaviour: Any) -> dict[str, str]:
    """Serve the published files with this behaviour; return their addresses."""
    return {name: server.serve(f"{within}/{file}", folder / file, **behaviour) for name, file in PUBLISHED.items()}


@dataclass(frozen=True)
class Undisturbed:
    """A finished project and its contents."""

    folder: Path
    published: Path
    jobs: tuple[Job, ...]
    contents: Mapping[str, str] = field(repr=False)


def undisturbed_in(folder: Path, server: Server) -> Undisturbed:
    """Make the project in a folder."""
    remove(folder)
    jobs = jobs_in(make_project(folder, server))
    return Undisturbed(folder / "project", folder / "published", tuple(jobs), contents(folder / "project"))


def make_project(folder: Path, server: Server) -> str:
    """Run the whole workflow; return its plan. Shards are kept, so that they can be disturbed too."""
    publish(folder / "published")
    (folder / "project").mkdir()
    project = copy_project(folder / "project", configuration(mirrors(server, folder / "published")))
    plan = said_by(project, "--dry-run", "--", *TARGETS)
    said_by(project, "--notemp", "--", *TARGETS)
    return plan


def said_by(project: Project, *arguments: str) -> str:
    run = project.snakemake(*PROFILE, *arguments)
    if run.returncode:
        raise RuntimeError(f"the miniature was not made:\n{run.stdout}{run.stderr}")
    return run.stdout + run.stderr
