"""Environments, lock, packaged files and container images agree with each other."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CONDA_NAMES = {"matplotlib-base": "matplotlib", "pytorch": "torch"}
NOT_LOCKED = ("python", "openjdk", "maven", "detectron2")
"""Packages that pip cannot install."""


def locked():
    """Return the locked versions by package; a package may have several, for different versions of Python."""
    versions = {}
    for name, version in re.findall(r"^([a-z0-9._-]+)==([^ \\]+)", (ROOT / "requirements.lock").read_text(), re.M):
        versions.setdefault(name, set()).add(version)
    return versions


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda path: path.name)
def test_conda_environments_pin_the_locked_versions(path):
    ranges = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for pin in yaml.safe_load(path.read_text())["dependencies"]:
        name, version = re.split(" >?=", pin)
        if ">=" in pin and name not in NOT_LOCKED:
            assert f"{CONDA_NAMES.get(name, name)}>={version}" in ranges, f"{path.name}: {pin}"
        elif name not in NOT_LOCKED:
            assert version in locked()[CONDA_NAMES.get(name, name)], f"{path.name}: {pin}"


def test_every_dependency_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    missing = [name for name in wanted if re.split("[>=<]", name)[0].lower() not in locked()]
    assert not missing, "make lock"


def test_every_file_beside_the_code_is_packaged():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    packaged = {
        path
        for package in patterns
        for pattern in patterns[package]
        for path in ROOT.joinpath(*package.split(".")).glob(pattern)
    }
    files = {path for package in ("jvgn", "parsers") for path in (ROOT / package).rglob("*") if path.is_file()}
    assert {path for path in files if path.suffix not in (".py", ".pyc")} == packaged


def test_the_library_is_found_beside_a_clone_of_the_same_name(tmp_path):
    """The README says to clone into `jvgn`; scripts and notebooks may be in the parent folder."""
    (tmp_path / "jvgn").mkdir()
    command = [sys.executable, "-c", "from jvgn import Grounder"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_no_file_names_a_package_registry():
    hosts = re.compile("|".join(["pypi" + r"\.org", "python" + "hosted", "maven" + r"\.org", "npm" + r"js\."]))
    files = [path for path in ROOT.iterdir() if path.is_file()] + list((ROOT / "envs").iterdir())
    assert not [path for path in files if hosts.search(path.read_text(errors="replace"))]


def test_both_container_images_copy_the_same_existing_files():
    docker, apptainer = ((ROOT / "envs" / name).read_text() for name in ("Dockerfile", "apptainer.def"))
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", docker, re.M) for name in line.split()}
    assert copied == set(re.findall(r"^    (\S+) /jvgn/", apptainer, re.M))
    assert all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / "envs/Dockerfile.dockerignore").read_text().split()
    assert {name.removeprefix("!") for name in ignored if name.startswith("!")} == copied
    for pattern in (r"^(?:FROM|From:) (\S+)$", r"apt-get install .*recommends (.*?)(?: \\)?$", r"pip (install .*)$"):
        assert re.findall(pattern, docker, re.M) == re.findall(pattern, apptainer, re.M) != []
