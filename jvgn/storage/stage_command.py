"""Commands that make files from files, and say so: beside each file that they make lies a record of what made it.

All that a command makes gets its names together, after the records: no new file has its name without a record.
What such a command is given must be as it was written, and files that were made from one another must be given
together: regions of these images, graphs of these sentences. Otherwise it stops before any work.
"""

import ast
import inspect
import os
import textwrap
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from jvgn.storage.code import code_behind, imported_by
from jvgn.storage.files import check_may_be_file, naming_together, sha256
from jvgn.storage.picture_hashes import told_hash
from jvgn.storage.records import TO_GO_ON_FROM, Origin, read_origin, record_of, write_origin
from parsers.errors import BrokenFile, UserError

OF_MACHINES = {"threads", "device", "processes", "machines"}
"""Options that change no result."""
META = "jvgn.storage.stage_command"


class Named(click.Path):
    """A path of a command's; where it is that of a folder, the files `within` are meant."""

    def __init__(self, within: Sequence[str] = ()) -> None:
        super().__init__(path_type=Path)
        self.within = within

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if ctx is not None:
            self.note([path / name for name in self.within] or [path], job_of(ctx))
        return path

    def note(self, files: list[Path], job: "Job") -> None:
        """The job knows the files."""


class Made(Named):
    """Files that a command writes."""

    def note(self, files: list[Path], job: "Job") -> None:
        job.made += files


class Given(Named):
    """Files that a command reads."""

    def note(self, files: list[Path], job: "Job") -> None:
        job.given += files


class Foreign(Given):
    """Files that a command reads, and that need not have been made from what it reads beside them."""

    def note(self, files: list[Path], job: "Job") -> None:
        super().note(files, job)
        job.foreign += files


class Job:
    """The files of one call of a command."""

    def __init__(self) -> None:
        self.given: list[Path] = []
        self.foreign: list[Path] = []
        self.made: list[Path] = []
        self.modules: set[str] = set()

    @cached_property
    def hashes(self) -> dict[Path, str]:
        """Of all files given; those that are missing are for the command to name."""
        return {file: sha256(file) for file in self.given if file.is_file()}

    @cached_property
    def origins(self) -> dict[Path, Origin]:
        """Of the files given, as far as they have records."""
        return {file: origin for file in self.hashes if (origin := read_origin(file)) is not None}

    def check(self) -> None:
        """No two files have one name; all that are given are as they were written, and belong together."""
        self.check_names()
        for file, origin in self.origins.items():
            check_as_written(file, origin, self.hashes[file])
        for file, origin in self.origins.items():
            if file not in self.foreign:
                self.check_relations(file, origin)

    def check_names(self) -> None:
        for file in self.made:
            check_may_be_file(file)
            if file.name.startswith(".") or TO_GO_ON_FROM.search(f"{file.parent.name}/{file.name}"):
                raise UserError(f"{file}: such a name is for what stages keep for themselves; give another name")
            if told_hash(file) is not None:
                raise UserError(f"{file}: is a picture that was drawn or unpacked here; give another name")
        names = [*self.made, *map(record_of, self.made)]
        for number, file in enumerate(names):
            check_may_be_file(file)  # the records, too
            check_is_none_of(file, [*self.given, *names[:number]])

    def check_relations(self, file: Path, origin: Origin) -> None:
        """The file was made from the files that are given, as far as it was made from files of these kinds."""
        used: dict[str, set[str]] = {}
        for source, digest in origin.inputs.items():
            used.setdefault(kind_beside(file, Path(source)), set()).add(digest)
        for kind, digests in used.items():
            beside = {other: digest for other, digest in self.hashes.items() if kind_beside(file, other) == kind}
            if beside and not is_settings(kind) and digests.isdisjoint(beside.values()):
                raise UserError(
                    f"{file}: made from another {kind} than {next(iter(beside))}; give files that belong together,"
                    f" or delete {file} and run the workflow again"
                )


class Stage(click.Command):
    """Checks what it is given before the command runs, and records what it made when that has ended well."""

    def invoke(self, ctx: click.Context) -> Any:
        if os.environ.get("RANK", "0") != "0":  # of processes that train together, one speaks for all
            return super().invoke(ctx)
        job = job_of(ctx)
        job.check()
        with naming_together([*job.made, *map(record_of, job.made)]) as whole:
            result = super().invoke(ctx)
            inputs, choices, code = self.inputs(job), self.choices(ctx), self.code(job)
            for file in job.made:
                write_origin(file, ctx.command_path, inputs, choices, code, content=whole[file])
        return result

    def inputs(self, job: Job) -> dict[Path, str]:
        return job.hashes

    def choices(self, ctx: click.Context) -> dict[str, str]:
        """What was said beside files, and changes results."""
        chosen = {param.name: ctx.params[param.name] for param in self.params if param.name and is_choice(param)}
        return {name: str(value) for name, value in chosen.items()}

    def code(self, job: Job) -> dict[str, str]:
        behind = code_behind({*job.modules, *imports_of(self.callback)})
        return {name: sha256(file) for name, file in behind.items()}


class Joining(Stage):
    """Puts pieces together that are removed thereafter: what made them made the whole."""

    def inputs(self, job: Job) -> dict[Path, str]:
        known = {
            Path(os.path.normpath(piece.parent / source)): digest
            for piece, origin in job.origins.items()
            for source, digest in origin.inputs.items()
        }
        return known | {piece: digest for piece, digest in job.hashes.items() if piece not in job.origins}

    def code(self, job: Job) -> dict[str, str]:
        of_pieces = [origin.code for origin in job.origins.values()]
        return {name: digest for code in [*of_pieces, super().code(job)] for name, digest in code.items()}


def job_of(ctx: click.Context) -> Job:
    job: Job = ctx.meta.setdefault(META, Job())
    return job


def reads(*paths: Path | str | None) -> None:
    """The command that runs also reads these files, which its settings name. Of a folder nothing is recorded."""
    job = job_of(click.get_current_context())
    for path in (Path(path) for path in paths if path is not None):
        if path.is_file():
            check_is_none_of(path, job.made)
            job.hashes[path] = sha256(path)
            check_as_written(path, read_origin(path), job.hashes[path])


def check_is_none_of(file: Path, others: Sequence[Path]) -> None:
    if place_of(file) in map(place_of, others):
        raise UserError(f"{file}: named twice; give every file a name of its own")


def place_of(file: Path) -> tuple[object, ...]:
    """The folder itself, and the name in it: by links and mounts, paths may differ that lead to one file."""
    file = file.resolve()
    folder = file.parent
    found = folder.stat() if folder.is_dir() else None
    return (found.st_dev, found.st_ino, file.name) if found else (file,)


def check_as_written(file: Path, origin: Origin | None, digest: str) -> None:
    if origin is not None and origin.sha256 != digest:
        raise BrokenFile(file, origin.denial)


def runs(module: str) -> None:
    """The command that runs also runs this module, which its text does not name."""
    job_of(click.get_current_context()).modules.add(module)


def kind_beside(file: Path, other: Path) -> str:
    """What another file is to one: told by its name, but for regions, which have their detector's."""
    is_regions = other.suffix == ".h5" and file.suffix != ".h5"
    return "file of regions" if is_regions else other.name


def is_settings(kind: str) -> bool:
    """Every stage has its own."""
    return kind.endswith(".yaml")


def is_choice(param: click.Parameter) -> bool:
    types = param.type.types if isinstance(param.type, click.Tuple) else [param.type]
    return param.name not in OF_MACHINES and not any(isinstance(kind, click.Path) for kind in types)


def imports_of(command: Callable | None) -> set[str]:
    """The modules that a command imports when it is called."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(command))) if command else ast.Module([], [])
    return {module for node in ast.walk(tree) for module in imported_by(node)}
