"""Commands that make files from files, and record what made each of them.

Before any work, a stage checks that its inputs are as they were written and belong together: regions of these images,
graphs of these sentences. When it has ended well, it writes a record beside each output.
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

from jvgn.storage.code_slices import code_behind, imported_by
from jvgn.storage.files import actions_on_success, check_may_be_file, sha256
from jvgn.storage.records import Origin, read_origin, write_origin
from parsers.errors import BrokenFile, UserError

MACHINE_OPTIONS = {"threads", "device", "processes", "machines"}
"""Options that do not change a result."""
JOB = "jvgn.job"


class StagePath(click.Path):
    """A path option; of a folder, the files `within` are recorded."""

    def __init__(self, within: Sequence[str] = ()) -> None:
        super().__init__(path_type=Path)
        self.within = within

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if ctx is not None:
            self.note([path / name for name in self.within] or [path], job_of(ctx))
        return path

    def note(self, files: list[Path], job: "Job") -> None:
        """Add the files to the job's inputs or outputs."""


class Made(StagePath):
    """Files that a command writes."""

    def note(self, files: list[Path], job: "Job") -> None:
        job.made += files


class Given(StagePath):
    """Files that a command reads."""

    def note(self, files: list[Path], job: "Job") -> None:
        job.given += files


class Foreign(Given):
    """Files that a command reads, exempt from the check that its inputs were made from each other."""

    def note(self, files: list[Path], job: "Job") -> None:
        super().note(files, job)
        job.foreign += files


class Job:
    """The inputs and outputs of one call of a command."""

    def __init__(self) -> None:
        self.given: list[Path] = []
        self.foreign: list[Path] = []
        self.made: list[Path] = []
        self.modules: set[str] = set()

    @cached_property
    def hashes(self) -> dict[Path, str]:
        """SHA-256 of each input; the command itself reports a missing one."""
        return {file: sha256(file) for file in self.given if file.is_file()}

    @cached_property
    def origins(self) -> dict[Path, Origin]:
        """The record of each input that has one."""
        return {file: origin for file in self.hashes if (origin := read_origin(file)) is not None}

    def check(self) -> None:
        for number, file in enumerate(self.made):
            check_may_be_file(file)
            check_is_distinct(file, [*self.given, *self.made[:number]])
        for file, origin in self.origins.items():
            check_unchanged(file, origin, self.hashes[file])
        for file, origin in self.origins.items():
            if file not in self.foreign:
                self.check_inputs_of(file, origin)

    def check_inputs_of(self, file: Path, origin: Origin) -> None:
        """Refuse an input that was made from another version of a second input."""
        used: dict[str, set[str]] = {}
        for source, digest in origin.inputs.items():
            used.setdefault(role(file, Path(source)), set()).add(digest)
        for name, digests in used.items():
            given = {
                other: digest
                for other, digest in self.hashes.items()
                if role(file, other) == name and not self.are_siblings(origin, other)
            }
            # Every stage has settings of its own.
            if given and not name.endswith(".yaml") and digests.isdisjoint(given.values()):
                raise UserError(
                    f"{file}: made from another {name} than {next(iter(given))}; give files that belong together,"
                    f" or delete {file} and run the workflow again"
                )

    def are_siblings(self, origin: Origin, other: Path) -> bool:
        """Return whether the same command made both files: then neither is an input of the other, whatever its name."""
        return other in self.origins and self.origins[other].stage == origin.stage


class Stage(click.Command):
    """Checks its inputs, runs, and records what made its outputs."""

    def invoke(self, ctx: click.Context) -> Any:
        if os.environ.get("RANK", "0") != "0":  # of torchrun's processes, the first one checks and writes
            return super().invoke(ctx)
        job = job_of(ctx)
        job.check()
        token = actions_on_success.set([])
        try:
            result = super().invoke(ctx)
            for file in job.made:
                write_origin(file, ctx.command_path, self.inputs(job), self.choices(ctx), self.code(job))
            for action in actions_on_success.get() or []:
                action()
        finally:
            actions_on_success.reset(token)
        return result

    def inputs(self, job: Job) -> dict[Path, str]:
        return job.hashes

    def choices(self, ctx: click.Context) -> dict[str, str]:
        """Return the options that are not files and change results."""
        chosen = {param.name: ctx.params[param.name] for param in self.params if param.name and is_choice(param)}
        return {name: str(value) for name, value in chosen.items()}

    def code(self, job: Job) -> dict[str, str]:
        behind = code_behind({*job.modules, *imports_of(self.callback)})
        return {name: sha256(file) for name, file in behind.items()}


class Joining(Stage):
    """Merges pieces that are deleted afterwards: the merged file records what made the pieces."""

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
    job: Job = ctx.meta.setdefault(JOB, Job())
    return job


def reads(*paths: Path | str | None) -> None:
    """Add files that a settings file names to the inputs of the running command."""
    job = job_of(click.get_current_context())
    for path in (Path(path) for path in paths if path is not None):
        if path.is_file():
            check_is_distinct(path, job.made)
            job.hashes[path] = sha256(path)
            check_unchanged(path, read_origin(path), job.hashes[path])


def runs(module: str) -> None:
    """Add a module that the command's text does not import to its code."""
    job_of(click.get_current_context()).modules.add(module)


def check_is_distinct(file: Path, others: Sequence[Path]) -> None:
    if file.resolve() in [other.resolve() for other in others]:
        raise UserError(f"{file}: named twice; give every file its own name")


def check_unchanged(file: Path, origin: Origin | None, digest: str) -> None:
    if origin is not None and origin.sha256 != digest:
        raise BrokenFile(file, origin.problem)


def role(file: Path, other: Path) -> str:
    """Return which kind of input a file is to another: its name, except for regions, named after their detector."""
    is_regions = other.suffix == ".h5" and file.suffix != ".h5"
    return "file of regions" if is_regions else other.name


def is_choice(param: click.Parameter) -> bool:
    types = param.type.types if isinstance(param.type, click.Tuple) else [param.type]
    return param.name not in MACHINE_OPTIONS and not any(isinstance(kind, click.Path) for kind in types)


def imports_of(command: Callable | None) -> set[str]:
    """Return the modules that a command imports when it is called."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(command))) if command else ast.Module([], [])
    return {module for node in ast.walk(tree) for module in imported_by(node)}
