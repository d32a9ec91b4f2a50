"""Mistakes that any command may meet."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jvgn.storage.picture_hashes import write_hashes
from tests.errors.case import Bench, Case

BARRED = "…: cannot be used (…); give another path, or have its owner let you use it"
TOO_LONG = "x" * 300


def world_below_a_file(bench: Bench) -> list:
    return ["world", "--settings", bench.write("settings.yaml", "{}"), "--folder", bench.write("file", "")]


def barred(*arguments: str) -> Callable[[Bench], list]:
    """The command, where the folder `theirs` may not be looked into; its mode would not keep root from that."""

    def arrange(bench: Bench) -> list:
        ask = os.stat

        def refuse(path: Any, **more: Any) -> os.stat_result:
            if not isinstance(path, int) and "theirs" in Path(os.fsdecode(path)).parts:
                raise OSError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
            return ask(path, **more)

        bench.patch.setattr(os, "stat", refuse)
        return list(arguments)

    return arrange


def run_that_leads_to_itself(bench: Bench) -> list:
    run = bench.folder / "shapes_gt"
    run.symlink_to(run)
    return ["show", run]


def dataset_with_a_long_name(_: Bench) -> list:
    return ["read-dataset", "--refs", TOO_LONG, "--instances", "instances.json", "--output", "tables"]


def folder_that_is_gone(bench: Bench) -> list:
    gone = bench.folder / "gone"
    gone.mkdir()
    bench.patch.chdir(gone)
    gone.rmdir()
    return ["exclude-images", "--output", "e.parquet", "some"]


def output_over_a_picture(bench: Bench) -> list:
    folder = bench.write("images/shapes_000001.jpg", "").parent
    write_hashes(folder)
    return ["exclude-images", "--output", folder / "shapes_000001.jpg", "some"]


CASES = [
    Case("…: is a folder, expected a file; give another name", lambda bench: ["schema", bench.folder]),
    Case("…: is a folder, expected a file; give another name", lambda _: ["exclude-images", "--output", "", "some"]),
    Case("…: is a device or a pipe, expected a file; give another name", lambda _: ["schema", "/dev/null"]),
    Case(
        "…: named twice; give every file a name of its own",
        lambda _: ["parse", "some.parquet", "nodes", "./some.parquet", "coverage"],
        program="parsers",
    ),
    Case(
        "…: named twice; give every file a name of its own",
        lambda _: ["parse", "some.parquet", "nodes", "nodes", "coverage"],
        program="parsers",
    ),
    Case(
        "…: named twice; give every file a name of its own",
        lambda _: ["exclude-images", "--output", "nodes", ".nodes.origin"],
    ),
    *(
        Case(
            "…: such a name is for what stages keep for themselves; give another name",
            lambda _, name=name: ["exclude-images", "--output", name, "some"],
        )
        for name in (".hidden", "training_state.pt", "weights.state.pt", "a.part", "a.part.json", "x.parts/0.h5")
    ),
    Case("…: is a picture that was drawn or unpacked here; give another name", output_over_a_picture),
    Case(BARRED, lambda bench: ["exclude-images", "--output", "e.parquet", bench.write(os.fsdecode(b"caf\xe9"), "")]),
    Case(BARRED, folder_that_is_gone),
    Case("…: cannot be written (…); give a folder you may write to", world_below_a_file),
    *(
        Case(BARRED, barred(*command, path))
        for command in (["verify"], ["summary"], ["regions", "info"], ["schema"], ["show"], ["explore"])
        for path in ("theirs/mine", TOO_LONG)
    ),
    Case(BARRED, run_that_leads_to_itself),
    Case(BARRED, dataset_with_a_long_name),
    Case(BARRED, lambda _: ["parse", TOO_LONG, "nodes", "edges", "coverage"], program="parsers"),
]
