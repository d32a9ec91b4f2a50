"""CoreNLP's jars: fetched by Maven at pinned versions, or found in a folder that the user names.

`python -m parsers.corenlp_jars FOLDER` fetches them. It stands apart from `parsers.corenlp`, so that a change there
does not fetch anything again.
A fetched folder holds the jars of `JARS` and `sha256.txt`, their hashes, which `sha256sum --check` reads. It is there
whole or not at all. CoreNLP is under the GNU GPL 3: it is fetched, and no part of it is in this project.
"""

import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import click

from parsers.files import BrokenFile, UserError, check_may_be_replaced, replacing_folder, sha256
from parsers.shown_text import one_line

FOLDER = "resources/corenlp"
HASHES = "sha256.txt"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"


@dataclass(frozen=True)
class Jar:
    """A jar by its Maven coordinates, and a file in it by which it is known under any name."""

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
"""484 MB, nearly all of it the models, of which only 3 MB are read: CoreNLP has no smaller jar with its parser."""


def class_path(folder: Path) -> list[Path]:
    """The jars in `folder` that are needed; of several that would do, the first by name."""
    cure = f"`snakemake {FOLDER}` fetches it, or set the option `folder` to that of a CoreNLP distribution"
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder of CoreNLP's jars; {cure}")
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


def fetch(folder: Path) -> None:
    """`folder` holds the jars and their hashes; one that was there before is replaced."""
    maven = shutil.which("mvn")
    if maven is None or shutil.which("java") is None:
        raise UserError("fetching CoreNLP needs Maven and Java: install them, and have `mvn` and `java` on the PATH")
    check_may_be_replaced(folder, fetched_names(folder))
    with replacing_folder(folder) as fresh:
        for jar in JARS:
            copy(maven, jar, fresh)
        hashes = "".join(f"{jar.sha256}  {jar.name}\n" for jar in JARS)
        (fresh / HASHES).write_text(hashes, encoding="utf8")


def fetched_names(folder: Path) -> set[str]:
    """Of the files that were fetched into the folder, by their hashes there."""
    hashes = folder / HASHES
    lines = hashes.read_text(encoding="utf8", errors="replace").splitlines() if hashes.is_file() else []
    return {HASHES, *(line.partition("  ")[2] for line in lines)}


def copy(maven: str, jar: Jar, folder: Path) -> None:
    """Maven puts the jar into `folder`, from its own cache or its registry."""
    command = [maven, "--batch-mode", "--quiet", "--strict-checksums", COPY, f"-Dartifact={jar.coordinates}"]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={folder.resolve()}"],
        cwd=folder,  # elsewhere, Maven might find somebody's project
        capture_output=True,
        text=True,
        check=False,
    )
    path = folder / jar.name
    if done.returncode or not path.exists():
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        why = said[0] if said else "it said nothing"
        raise UserError(f"Maven could not fetch {jar.coordinates}: {why}; see to its network or its settings.xml")
    if (found := sha256(path)) != jar.sha256:
        raise UserError(f"{jar.coordinates}: expected the sha256 {jar.sha256}, found {found}; nothing was kept")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def main(folder: Path) -> None:
    """FOLDER holds CoreNLP's jars, 484 MB, and their hashes."""
    try:
        fetch(folder)
    except UserError as error:
        raise click.ClickException(one_line(str(error))) from error


if __name__ == "__main__":
    main(prog_name="python -m parsers.corenlp_jars")
