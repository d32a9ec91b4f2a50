"""CoreNLP's jars, fetched by Maven at pinned versions.

The folder holds the jars of `JARS` and `sha256.txt`, their hashes, which `sha256sum --check` reads. It appears whole or
not at all.
"""

import shutil
import subprocess
from pathlib import Path

from jvgn.storage.files import check_may_be_replaced, replacing_folder, sha256
from parsers.corenlp.jars import JARS, Jar
from parsers.errors import UserError

HASHES = "sha256.txt"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"


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
