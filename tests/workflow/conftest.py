"""Copies of the project with a miniature of the embedded world, which tests may run, edit and break."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.once import made_once
from tests.snakemake_process import snakemake

ROOT = Path(__file__).parents[2]
COPIED = ("jvgn", "parsers", "workflow", "envs", "Snakefile")
"""The files of the workflow, without its configuration."""
MADE = (
    *(f"results/shapes_det/{file}" for file in ("model.safetensors", "report/results.html", "gallery/index.html")),
    *("results/shapes_gt/metrics.json", "results/shapes_gt/runs/rules/metrics.json"),
)
"""All that `make demo` makes of one run, and the numbers of two others: half of its jobs, in half of its time."""


@pytest.fixture(scope="session")
def miniature():
    """Return a function that makes the configuration of the miniature, which tests may edit."""
    return miniature_configuration


def miniature_configuration():
    """Return `config.yaml` with a small world and little training."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    config["shapes"] |= {"train": 24, "val": 4, "test": 4, "adv": 3}
    config["detectors"]["tiny"] |= {"epochs": 2}
    config["datasets"]["shapes"]["run"]["training"] |= {"epochs": 2}
    return config


@dataclass(frozen=True)
class Project:
    """A folder with its own code and configuration."""

    folder: Path

    def configure(self, config):
        (self.folder / "config.yaml").write_text(yaml.safe_dump(config))

    def snakemake(self, *arguments):
        return snakemake(self.folder, "--cores", "2", *arguments)

    def edit(self, file):
        """Append a comment to a file."""
        with (self.folder / file).open("a") as code:
            code.write("# edited\n")

    def planned(self, *targets):
        """Return the rules that a run would execute."""
        plan = self.snakemake("--dry-run", "--quiet", "host", "--", *targets)
        assert plan.returncode == 0, plan.stdout + plan.stderr
        lines = (plan.stdout + plan.stderr).splitlines()
        return {line.split()[1].rstrip(":") for line in lines if line.startswith(("rule ", "localrule "))}


def copy_project(folder, config):
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    project = Project(folder)
    project.configure(config)
    return project


@pytest.fixture(scope="session")
def project(tmp_path_factory, miniature):
    return copy_project(tmp_path_factory.mktemp("project"), miniature())


@pytest.fixture(scope="session")
def demonstrated(tmp_path_factory):
    """The miniature after its targets were made, to be copied, and beside it Snakemake's cache and output."""
    return made_once(tmp_path_factory, "demonstrated", demonstrate)


def demonstrate(folder):
    (folder / "cache").mkdir()
    (folder / "project").mkdir()
    project = copy_project(folder / "project", miniature_configuration())
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SNAKEMAKE_OUTPUT_CACHE", str(folder / "cache"))
        run = project.snakemake("--cache", "--quiet", "host", "--", *MADE)
    (folder / "said").write_text(run.stdout + run.stderr)
    assert run.returncode == 0, run.stdout + run.stderr
    # The cache has the outputs, and the project links to them. Give it copies: tests damage its files.
    for link in [path for path in project.folder.rglob("*") if path.is_symlink()]:
        original = link.resolve()
        link.unlink()
        shutil.copy2(original, link)


@pytest.fixture(scope="module")
def finished(demonstrated, tmp_path_factory):
    """A copy of the finished miniature for one test module."""
    folder = tmp_path_factory.mktemp("finished") / "project"
    shutil.copytree(demonstrated / "project", folder)
    return Project(folder)


@pytest.fixture(scope="session")
def another_project(tmp_path_factory, miniature):
    """Return a function that makes a new project."""
    return lambda: copy_project(tmp_path_factory.mktemp("another"), miniature())
