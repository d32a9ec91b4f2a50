"""The parser corenlp without Java, without CoreNLP, or with a Java that fails; and what fetches it."""

import os
import zipfile

from parsers.corenlp.jars import JARS
from tests.errors.case import Bench, Case

READS = "#!/bin/sh\nread sentence\n"
"""A program that ends at the first sentence, as Java does where something is wrong."""


def program(bench: Bench, name: str, script: str = "#!/bin/sh\n") -> None:
    bench.write(f"programs/{name}", script).chmod(0o755)
    bench.patch.setenv("PATH", f"{bench.folder / 'programs'}{os.pathsep}/usr/bin{os.pathsep}/bin")


def jar(bench: Bench, name: str, *members: str) -> None:
    bench.write(f"jars/{name}", b"")
    with zipfile.ZipFile(bench.folder / "jars" / name, "w") as archive:
        for member in members:
            archive.writestr(member, "")


def asked(*options: str):
    """A sentence given to corenlp, on a machine whose Java is not looked at closely."""

    def arrange(bench: Bench):
        program(bench, "java")
        return ["graph", "a dog", "--backend", "corenlp", *(f"--option={option}" for option in options)]

    return arrange


def without_java(bench: Bench):
    bench.patch.setenv("PATH", str(bench.folder))
    return ["graph", "a dog", "--backend", "corenlp"]


def some_jars(bench: Bench):
    jar(bench, "stanford-corenlp-4.5.10.jar", JARS[0].member)
    return asked("folder=jars")(bench)


def broken_jar(bench: Bench):
    bench.write("jars/half.jar", b"PK half of it")
    return asked("folder=jars")(bench)


def java_that_says(words: str):
    def arrange(bench: Bench):
        for one in JARS:
            jar(bench, one.name, one.member)
        # A folder of its own: a parser is loaded once for the same options.
        arguments = asked(f"folder={bench.folder / 'jars'}")(bench)
        program(bench, "java", f"{READS}echo '{words}' >&2\nexit 1\n")
        return arguments

    return arrange


def without_maven(bench: Bench):
    program(bench, "java")
    bench.patch.setenv("PATH", str(bench.folder / "programs"))
    return ["jars"]


def maven_that_does(work: str):
    def arrange(bench: Bench):
        program(bench, "java")
        program(bench, "mvn", f"#!/bin/sh\n{work}\n")
        return ["jars"]

    return arrange


CASES = [
    Case("the parser corenlp: repair: expected true or false, found …", asked("repair=maybe")),
    Case("the parser corenlp needs Java: …", without_java),
    Case("…: there is no such folder of CoreNLP's jars; …", asked("folder=nowhere")),
    Case("…: CoreNLP lacks …; …", some_jars),
    Case("…: not a readable jar (…); delete its folder and fetch it again", broken_jar),
    Case("the parser corenlp: this Java cannot compile: …", java_that_says("module jdk.compiler not found")),
    Case("CoreNLP's Java ended with code … at …; its last words: …", java_that_says("OutOfMemoryError")),
    Case(
        "fetching CoreNLP needs Maven and Java: install them, and have `mvn` and `java` on the PATH",
        without_maven,
        "corenlp_jars",
    ),
    Case(
        "Maven could not fetch …: …; see to its network or its settings.xml",
        maven_that_does("echo '[ERROR] Unknown host'; exit 1"),
        "corenlp_jars",
    ),
    Case(
        "…: cannot be written (…); give a folder you may write to",
        lambda bench: [*maven_that_does("")(bench)[:-1], bench.write("notes.txt", "") / "jars"],
        "corenlp_jars",
    ),
    Case(
        "…: holds …, which was not made here and would be lost; give another folder",
        lambda bench: [*maven_that_does("")(bench)[:-1], bench.write("photos/me.jpg", "").parent],
        "corenlp_jars",
    ),
    Case(
        "…: expected the sha256 …, found …; nothing was kept",
        maven_that_does(f"echo another > {JARS[0].name}"),
        "corenlp_jars",
    ),
]
