"""Files that are not as they were written, or do not belong together."""

from collections.abc import Callable
from pathlib import Path

from jvgn.storage.files import sha256
from jvgn.storage.records import record_of, seal, write_origin
from tests.errors.case import Bench, Case


def learning(bench: Bench, history: Path) -> list:
    output = ["--figure", bench.folder / "figure.svg", "--numbers", bench.folder / "numbers.csv"]
    return ["figures", "learning", "--history", history, "--title", "it", *output]


def recorded(bench: Bench, name: str, content: str = "as written", *made_from: Path) -> Path:
    path = bench.write(name, content)
    write_origin(path, "jvgn train", {source: sha256(source) for source in made_from}, {}, {})
    return path


def changed(bench: Bench) -> list:
    path = recorded(bench, "history.parquet")
    path.write_text("as changed")
    return learning(bench, path)


def of_another_dataset(bench: Bench) -> list:
    theirs, ours = (bench.write(f"{name}/expressions.parquet", name) for name in ("theirs", "ours"))
    words = recorded(bench, "words.parquet", "words", theirs)
    given = {"settings": "run.yaml", "dataset": ours.parent, "regions": "r", "nodes": "n", "edges": "e", "words": words}
    files = given | {"vectors": "v", "model": "model.safetensors", "history": "history.parquet"}
    return ["train", *(part for name, path in files.items() for part in (f"--{name}", path))]


def damaged_record(bench: Bench) -> list:
    path = recorded(bench, "history.parquet")
    record_of(path).write_bytes(record_of(path).read_bytes().replace(b"train", b"paint"))
    return learning(bench, path)


def sealed(content: bytes) -> Callable[[Bench], list]:
    """A record that nobody has damaged since it was written."""

    def arrange(bench: Bench) -> list:
        path = bench.write("history.parquet", "")
        record_of(path).write_bytes(seal(content) + b"\n" + content)
        return learning(bench, path)

    return arrange


def folder_for_a_record(bench: Bench) -> list:
    path = bench.write("history.parquet", "")
    record_of(path).mkdir()
    return learning(bench, path)


def unknown_file(bench: Bench) -> list:
    return ["verify", bench.write("results/notes.txt", "mine").parent]


CASES = [
    Case("…: not as it was written by …; delete it and run the workflow again", changed),
    Case(
        "…: made from another … than …; give files that belong together, or delete … and run the workflow again",
        of_another_dataset,
    ),
    Case("…: a damaged record of what made the file; delete … and run the workflow again", damaged_record),
    *(
        Case("…: a damaged record of what made the file; delete … and run the workflow again", sealed(content))
        for content in (b"", b"{}", b"[" * 100_000)
    ),
    Case("…: cannot be read (…); delete it and run the workflow again", folder_for_a_record),
    Case("…: a record of another version of JVGN; delete … and run the workflow again", sealed(b'{"format": "0"}')),
    Case(
        "…: there is no such folder; name that of finished runs, such as results",
        lambda bench: ["verify", bench.folder / "results"],
    ),
    Case(
        "…: files broken: …, missing: …, stale: …, of unknown origin: …; delete those that are broken or unknown to"
        " you, and run the workflow again",
        unknown_file,
    ),
]
