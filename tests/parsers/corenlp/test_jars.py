"""CoreNLP's jars are found by their contents, whatever they are called."""

import zipfile
from pathlib import Path

import pytest

from parsers.corenlp.jars import JARS, class_path
from parsers.errors import UserError


def write_jar(path: Path, *members: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, "")


def test_jars_are_recognised_by_their_contents(tmp_path):
    for name, jar in zip(("c.jar", "b.jar", "a.jar"), JARS, strict=True):
        write_jar(tmp_path / name, jar.member, "more")
    write_jar(tmp_path / "0.jar", "something else")
    write_jar(tmp_path / "d.jar", JARS[0].member)
    assert [path.name for path in class_path(tmp_path)] == ["c.jar", "b.jar", "a.jar"]


def test_an_error_names_missing_jars(tmp_path):
    write_jar(tmp_path / "stanford-corenlp-4.5.10.jar", JARS[0].member)
    with pytest.raises(UserError, match=r"lacks stanford-corenlp-4.5.10-models.jar, jakarta.*snakemake.*`folder`"):
        class_path(tmp_path)
    with pytest.raises(UserError, match=r"nowhere.*missing; .*snakemake resources/corenlp"):
        class_path(tmp_path / "nowhere")
