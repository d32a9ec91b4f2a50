"""CoreNLP's jars are found whatever they are called, fetched whole or not at all, and what is missing is one line."""

import hashlib
import os
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from parsers.corenlp import jars as corenlp_jars
from parsers.corenlp.jars import JARS, class_path, main
from parsers.errors import UserError

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


def write_jar(path: Path, *members: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, "")


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
    jars = [
        corenlp_jars.Jar(jar.coordinates, hashlib.sha256(jar.coordinates.encode()).hexdigest(), jar.member, jar.name)
        for jar in JARS
    ]
    monkeypatch.setattr(corenlp_jars, "JARS", jars)
    return tmp_path / "asked"


def test_the_jars_are_known_by_what_is_in_them(tmp_path):
    for name, jar in zip(("c.jar", "b.jar", "a.jar"), JARS, strict=True):
        write_jar(tmp_path / name, jar.member, "more")
    write_jar(tmp_path / "0.jar", "something else")
    write_jar(tmp_path / "d.jar", JARS[0].member)
    assert [path.name for path in class_path(tmp_path)] == ["c.jar", "b.jar", "a.jar"]


def test_missing_jars_are_named_with_the_cure(tmp_path):
    write_jar(tmp_path / "stanford-corenlp-4.5.10.jar", JARS[0].member)
    with pytest.raises(UserError, match=r"lacks stanford-corenlp-4.5.10-models.jar, jakarta.*snakemake.*`folder`"):
        class_path(tmp_path)
    with pytest.raises(UserError, match=r"nowhere: there is no such folder.*snakemake resources/corenlp"):
        class_path(tmp_path / "nowhere")


def test_a_broken_jar_is_named(tmp_path):
    (tmp_path / "half.jar").write_bytes(b"PK half of it")
    with pytest.raises(UserError, match=r"half.jar: not a readable jar"):
        class_path(tmp_path)


def test_fetching_asks_maven_for_each_jar_and_records_the_hashes(maven, tmp_path):
    folder = tmp_path / "resources/corenlp"
    folder.mkdir(parents=True)
    (folder / "old.jar").touch()
    (folder / "sha256.txt").write_text(f"{'0' * 64}  old.jar\n")
    result = CliRunner().invoke(main, [str(folder)])
    assert result.exit_code == 0, result.stderr
    assert maven.read_text().split() == [jar.coordinates for jar in JARS]
    assert {path.name for path in folder.iterdir()} == {"sha256.txt", *(jar.name for jar in JARS)}
    for line in (folder / "sha256.txt").read_text().splitlines():
        recorded, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == recorded
    assert [path.name for path in folder.parent.iterdir()] == ["corenlp"]


def test_what_maven_cannot_fetch_leaves_nothing_behind(maven, tmp_path, monkeypatch):
    monkeypatch.setenv("MAVEN_FAILS", "yes")
    folder = tmp_path / "resources/corenlp"
    result = CliRunner().invoke(main, [str(folder)])
    assert result.exit_code == 1
    problem = "Maven could not fetch org.glassfish:jakarta.json:1.1.6: [ERROR] no such artifact; see to its network"
    assert result.stderr.startswith(f"Error: {problem}") and result.stderr.count("\n") == 1
    assert not list(folder.parent.iterdir())


def test_a_jar_with_another_hash_is_refused(maven, tmp_path, monkeypatch):
    monkeypatch.setattr(corenlp_jars, "JARS", JARS)
    result = CliRunner().invoke(main, [str(tmp_path / "resources/corenlp")])
    assert result.exit_code == 1 and f"expected the sha256 {JARS[0].sha256}, found" in result.stderr
    assert not list((tmp_path / "resources").iterdir())


def test_without_maven_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main, [str(tmp_path / "corenlp")])
    assert result.exit_code == 1 and result.stderr.startswith("Error: fetching CoreNLP needs Maven and Java: install")
