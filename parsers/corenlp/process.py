"""Sentences as CoreNLP spells them, and one Java process that reads them and writes an answer for each.

`Feeder.java` documents the format. A possessive ending is a word of its own, and no word has a blank. The process
starts with the first sentence and ends with this process. It needs up to 2 GB, in every Python process that parses.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from parsers.errors import UserError

FEEDER = Path(__file__).with_name("Feeder.java")
HEAP = "-Xmx2g"
"""Enough for the longest sentences that are parsed."""
MOST_WORDS = 80
"""The parser's time grows with the cube of the words, and its memory with the square."""
MOST_SECONDS = 600
"""Time limit for one sentence; no sentence of `MOST_WORDS` words comes near it."""

JDK = "install a JDK, version 11 or newer (a JRE has no compiler), and have its `java` on the PATH"
NO_COMPILER = ("jdk.compiler", "could not find or load main class")
"""Parts of the error message of a Java without a compiler."""

APOSTROPHES = "'’"
UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that would end a word or a line, or cannot be encoded."""
OWNER = re.compile(rf"(.*\w)([{APOSTROPHES}]s|(?<=s)[{APOSTROPHES}])", re.IGNORECASE)
"""man's, dogs' """


@dataclass(frozen=True)
class Piece:
    """A word as CoreNLP reads it: a token, a part of one, or the two tokens of "' s"."""

    written: str
    tokens: tuple[int, ...]

    @property
    def spelled(self) -> str:
        return UNUSABLE.sub("_", self.written.replace("’", "'").replace(" ", "")) or "_"


def pieces(tokens: Sequence[str]) -> list[Piece]:
    found: list[Piece] = []
    for index, token in enumerate(tokens):
        owner = OWNER.fullmatch(token)
        if token.lower() == "s" and found and found[-1].written in tuple(APOSTROPHES):
            found[-1] = Piece(f"{found[-1].written} {token}", (index - 1, index))
        elif owner:
            found += [Piece(part, (index,)) for part in owner.groups()]
        else:
            found.append(Piece(token, (index,)))
    return found


def written(chosen: Iterable[Piece]) -> str:
    return " ".join(piece.written for piece in chosen)


def tokens_of(chosen: Iterable[Piece]) -> tuple[int, ...]:
    return tuple(sorted({index for piece in chosen for index in piece.tokens}))


@dataclass(frozen=True)
class Answer:
    """CoreNLP's answer about a sentence; words are named by their index."""

    tags: tuple[str, ...] = ()
    roots: tuple[int, ...] = ()
    dependencies: tuple[tuple[int, str, int], ...] = ()
    """Governor, relation, dependent."""
    nodes: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Each with its attributes."""
    relations: tuple[tuple[int, str, int], ...] = ()
    problem: str = ""
    """Why there is no graph."""

    @classmethod
    def of(cls, line: str) -> "Answer":
        values = json.loads(line)
        if "problem" in values:
            return cls(problem=values["problem"])
        return cls(
            tuple(values["tags"]),
            tuple(values["roots"]),
            tuple((governor, name, dependent) for governor, name, dependent in values["dependencies"]),
            tuple((node, tuple(attributes)) for node, attributes in values["nodes"]),
            tuple((subject, label, object_) for subject, label, object_ in values["relations"]),
        )


def java() -> str:
    found = shutil.which("java")
    if found is None:
        raise UserError(f"the parser corenlp needs Java: {JDK}")
    return found


class CoreNLP:
    def __init__(self, java: str, class_path: Sequence[os.PathLike[str]]) -> None:
        self.java = java
        self.class_path = os.pathsep.join(map(os.fspath, class_path))
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()

    def answers(self, sentences: Sequence[Sequence[str]]) -> list[Answer]:
        """Return an answer for each sentence, in order; raise an error if Java ends early."""
        with self.lock:
            # Encode here: an error in the thread below would leave Java waiting for ever.
            text = "".join("\t".join(words) + "\n" for words in sentences).encode("utf8")
            process = self.process or self.start()
            feeding = threading.Thread(target=feed, args=(process, text), daemon=True)
            feeding.start()
            try:
                return [Answer.of(self.line(process, sentence)) for sentence in sentences]
            except BaseException:
                self.stop(process)  # the next call must not read answers of this one
                self.process = None
                raise
            finally:
                feeding.join()

    def start(self) -> subprocess.Popen[bytes]:
        self.stderr = tempfile.TemporaryFile("w+", encoding="utf8", errors="replace")  # noqa: SIM115, Java writes it
        # Exit when memory runs out: a graph must not depend on how much was left.
        command = [self.java, HEAP, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-cp", self.class_path]
        self.process = subprocess.Popen(
            [*command, str(FEEDER), str(MOST_SECONDS), str(MOST_WORDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
        )
        weakref.finalize(self, self.stop, self.process)
        return self.process

    def line(self, process: subprocess.Popen[bytes], sentence: Sequence[str]) -> str:
        assert process.stdout is not None
        found = process.stdout.readline()
        if not found.endswith(b"\n"):
            raise UserError(self.end(process.wait(), sentence))
        return found.decode("utf8")

    def end(self, code: int, sentence: Sequence[str]) -> str:
        said = last_words(self.stderr)
        if any(sign in said.lower() for sign in NO_COMPILER):
            return f"the parser corenlp: this Java cannot compile: {JDK}"
        return f"CoreNLP's Java ended with code {code} at {' '.join(sentence)!r}; its last words: {said or 'none'}"

    @staticmethod
    def stop(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def feed(process: subprocess.Popen[bytes], text: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError, ValueError):  # the reader reports a process that ended
        process.stdin.write(text)
        process.stdin.flush()


def last_words(file: IO[str]) -> str:
    file.seek(0)
    said = [line.strip() for line in file if line.strip() and not line.lstrip().startswith(("at ", "..."))]
    return " / ".join(said[-3:])
