"""`jvgn fetch-corenlp` puts all of CoreNLP's jars into a folder, or nothing."""

import hashlib
import os
from dataclasses import replace

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.downloads import corenlp_jars
from parsers.corenlp.jars import JARS

MAVEN = """#!/bin/sh
# Puts down what it is asked for, as Maven's dependency:copy does.
for argument in "$@"; do
  case "$argument" in
    -Dartifact=*) artifact="${argument#-Dartifact=}" ;;
    -DoutputDirectory=*) folder="${argument#-DoutputDirectory=}" ;;
  esac
done
echo "$artifact" >> "$MAVEN_LOG"
case "$artifact" in
  *:models) name="stanford-corenlp-4.5.10-models.jar" ;;
  *stanford*) name="stanford-corenlp-4.5.10.jar" ;;
  *) if [ -n "$MAVEN_FAILS" ]; then echo "[ERROR] no such artifact"; exit 1; fi; name="jakarta.json-1.1.6.jar" ;;
esac
printf '%s' "$artifact" > "$folder/$name"
"""


@pytest.fixture
def maven(tmp_path, monkeypatch):
    """A Maven whose jars hold their own coordinates, and jars that expect just that."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, script in (("mvn", MAVEN), ("java", "#!/bin/sh\n")):
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MAVEN_LOG", str(tmp_path / "asked"))
    jars = [replace(jar, sha256=hashlib.sha256(jar.coordinates.encode()).hexdigest()) for jar in JARS]
    monkeypatch.setattr(corenlp_jars, "JARS", jars)
    return tmp_path / "asked"


def fetch(folder):
    return CliRunner().invoke(main, ["fetch-corenlp", str(folder)])


def test_fetching_asks_maven_for_each_jar_and_records_the_hashes(maven, tmp_path):
    folder = tmp_path / "resources/corenlp"
    folder.mkdir(parents=True)
    (folder / "old.jar").touch()
    (folder / "sha256.txt").write_text(f"{'0' * 64}  old.jar\n")
    result = fetch(folder)
    assert result.exit_code == 0, result.stderr
    assert maven.read_text().split() == [jar.coordinates for jar in JARS]
    assert {path.name for path in folder.iterdir()} == {"sha256.txt", *(jar.name for jar in JARS)}
    for line in (folder / "sha256.txt").read_text().splitlines():
        recorded, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == recorded
    assert [path.name for path in folder.parent.iterdir()] == ["corenlp"]


def test_a_jar_with_another_hash_is_refused(maven, tmp_path, monkeypatch):
    monkeypatch.setattr(corenlp_jars, "JARS", JARS)
    result = fetch(tmp_path / "resources/corenlp")
    assert result.exit_code == 1 and JARS[0].sha256 in result.stderr
    assert not list((tmp_path / "resources").iterdir())
