"""Sentences, trees, word vectors and annotations that were made to take long, or by mistake."""

from typing import Any

from tests.errors.case import Bench, Case
from tests.errors.cases.refer_datasets import instances, read, ref, sentence

CONLLU = "give a file in CoNLL-U, one sentence for each expression"
IMAGE, NOTE = instances()["images"][0], instances()["annotations"][0]


def chain(count: int) -> str:
    """A tree in which every word depends on the one before it."""
    return "".join(f"{word}\tdog\tdog\tNOUN\t_\t_\t{word - 1}\tconj\t_\t_\n" for word in range(1, count + 1))


def trees(text: str) -> Any:
    def arrange(bench: Bench) -> list[Any]:
        parses = bench.write("trees.conllu", text)
        return ["graph", "dog", "--backend", "conllu", "--option", f"parses={parses}"]

    return arrange


def one_long_line(bench: Bench) -> list[Any]:
    return ["compare", "lexical", "lexical", bench.write("sentences.txt", "dog " * 9000)]


def endless_vectors(bench: Bench) -> list[Any]:
    from tests.long.fuzz.world import copied_world

    world = copied_world(bench.folder)
    glove = bench.write("glove.txt", "a" * 2_000_000)
    settings = bench.write("settings.yaml", f"{{vector_size: 4, glove: {glove}}}")
    files = ["--words", "words.parquet", "--vectors", "vectors.npy", "--missing", "missing.csv"]
    return ["build-vocabulary", "--settings", settings, "--expressions", world.table("expressions"), *files]


OVERLAPPING = "1-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n2-4\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n"
CASES = [
    Case("the sentence has … words, more than …; give a shorter one", lambda bench: ["graph", "dog " * 9000]),
    Case(f"…: line …: the sentence has more than … words; {CONLLU}", trees(chain(9000))),
    Case(f"…: line …: the range … is within another; {CONLLU}", trees(OVERLAPPING)),
    Case(
        "…: has a sentence of … words, more than …; give one sentence on each line",
        one_long_line,
        "parsers",
    ),
    Case("…: it has a line of more than … bytes; get the file again", endless_vectors),
    Case(
        "…: image … (…) is listed twice; get the file again",
        read(annotated=instances(images=[IMAGE, IMAGE])),
    ),
    Case(
        "…: annotation … is listed twice; get the file again",
        read(annotated=instances(annotations=[NOTE, NOTE])),
    ),
    Case(
        "…: …: List should have at most … items after validation, not …, found …; get the file again",
        read(refs=[ref(1, sentences=[sentence(1, tokens=["dog"] * 9000)])]),
    ),
]
