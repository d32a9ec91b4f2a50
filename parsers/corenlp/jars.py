"""CoreNLP's jars: which ones are needed, and where they are in a folder.

`jvgn fetch-corenlp` gets them from Maven. CoreNLP is under the GNU GPL 3: no part of it is in this project.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

from parsers.errors import BrokenFile, UserError

FOLDER = "resources/corenlp"


@dataclass(frozen=True)
class Jar:
    """A jar by its Maven coordinates, and a member by which it is recognised under any name."""

    coordinates: str
    sha256: str
    member: str
    name: str


JARS = (
    Jar(
        "edu.stanford.nlp:stanford-corenlp:4.5.10",
        "f813ce4ed7319d79225f2a520d40733075c6b3500dd0b81ee069229e461aab43",
        "edu/stanford/nlp/scenegraph/RuleBasedParser.class",
        "stanford-corenlp-4.5.10.jar",
    ),
    Jar(
        "edu.stanford.nlp:stanford-corenlp:4.5.10:jar:models",
        "a5da9f6feb35a0fd2ea2cbe8909bede3952965b238a68c833ae3e031ed9026a0",
        "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz",
        "stanford-corenlp-4.5.10-models.jar",
    ),
    Jar(
        "org.glassfish:jakarta.json:1.1.6",
        "4e1414edc1d6c7dc0747d187c94b451515ed340a9b735156daa91fcefc6aa1b0",
        "javax/json/JsonValue.class",
        "jakarta.json-1.1.6.jar",
    ),
)
"""484 MB, nearly all models, of which 3 MB are read; CoreNLP has no smaller jar with its parser."""


def class_path(folder: Path) -> list[Path]:
    """Return the jars in `folder` that are needed; if several fit, the first by name."""
    cure = f"`snakemake {FOLDER}` fetches it, or set the option `folder` to that of a CoreNLP distribution"
    if not folder.is_dir():
        raise UserError(f"{folder}: folder of CoreNLP's jars is missing; {cure}")
    members = {path: members_of(path) for path in sorted(folder.glob("*.jar"))}
    found = [[path for path in members if jar.member in members[path]] for jar in JARS]
    missing = [jar.name for jar, paths in zip(JARS, found, strict=True) if not paths]
    if missing:
        raise UserError(f"{folder}: CoreNLP lacks {', '.join(missing)}; {cure}")
    return [paths[0] for paths in found]


def members_of(jar: Path) -> frozenset[str]:
    try:
        with zipfile.ZipFile(jar) as archive:
            return frozenset(archive.namelist())
    except (zipfile.BadZipFile, OSError) as error:
        raise BrokenFile(jar, f"not a readable jar ({error})", "delete its folder and fetch it again") from error
