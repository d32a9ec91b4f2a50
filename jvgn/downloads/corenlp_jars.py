"""CoreNLP's jars, fetched by Maven at pinned versions.

The folder holds the jars of `JARS` and `sha256.txt`, their checksums, for `sha256sum --check`. It appears complete or
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
    """Fetch the jars into `folder`, which is replaced if it exists."""
    maven = shutil.which("mvn")
    if maven is None or shutil.which("java") is None:
        raise UserError("CoreNLP: Maven or Java is missing; install both, with `mvn` and `java` on the PATH")
    check_may_be_replaced(folder, fetched_names(folder))
    with replacing_folder(folder) as fresh:
        for jar in JARS:
            copy(maven, jar, fresh)
        hashes = "".join(f"{jar.sha256}  {jar.name}\n" for jar in JARS)
        (fresh / HASHES).write_text(hashes, encoding="utf8")


def fetched_names(folder: Path) -> set[str]:
    """Return the names of the files that were fetched into the folder before."""
    hashes = folder / HASHES
    lines = hashes.read_text(encoding="utf8", errors="replace").splitlines() if hashes.is_file() else []
    return {HASHES, *(line.partition("  ")[2] for line in lines)}


def copy(maven: str, jar: Jar, folder: Path) -> None:
    """Let Maven copy the jar into `folder`, from its cache or its registry."""
    command = [maven, "--batch-mode", "--quiet", "--strict-checksums", COPY, f"-Dartifact={jar.coordinates}"]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={folder.resolve()}"],
        cwd=folder,  # elsewhere, Maven might find a project file
        capture_output=True,
        text=True,
        check=False,
    )
    path = folder / jar.name
    if done.returncode or not path.exists():
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        why = said[0] if said else "without a message"
        raise UserError(f"{jar.coordinates}: Maven failed ({why}); check its network or its settings.xml")
    if (found := sha256(path)) != jar.sha256:
        raise UserError(f"{jar.coordinates}: expected SHA-256 {jar.sha256}, found {found}; check Maven's mirrors")
