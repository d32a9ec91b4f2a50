"""One fault: disturb the workflow, recover as its messages advise, and compare with the undisturbed project."""

import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jvgn.storage.verify import Finding, verify
from tests.long.faults.content import contents, files_of, is_left_over, remove
from tests.long.faults.jobs import Job, is_temporary, jobs_in
from tests.long.faults.kinds import Kind
from tests.long.faults.miniature import PROFILE
from tests.long.faults.scene import Scene
from tests.long.faults.session import Session

Verdict = Literal["wrong", "lost", "hang", "unclear", "stuck", "left over", "failed", "harness"]
ATTEMPTS = 6
"""Runs within which a user may expect to be done."""
THERE = re.compile(r"^No rule to produce (\S+)", re.MULTILINE)
"""Message of Snakemake about a download that is there: the rules make only what is missing."""
LOCKED, INCOMPLETE = "--unlock", "--rerun-incomplete"
ADVICE = (
    re.compile(r"^(?:Error: )?(\S+): .*; delete it and run the workflow again$", re.MULTILINE),
    re.compile(r"; delete (?!it )(\S+) and run the workflow again", re.MULTILINE),
    re.compile(r"^(?:Error: )?(\S+): .*; put the right file there or move this one away", re.MULTILINE),
)
"""Messages that name a file to delete."""
TRACEBACK = re.compile(r'File "(?!.*/(?:\.venv|site-packages)/).*/(jvgn|parsers)/(\w+/)*\w+\.py", line')
"""A traceback of our own code. Snakemake prints tracebacks of its own if it cannot write to a disk."""
INTERRUPTED = re.compile(r"Traceback \(most recent call last\):\n(?:(?!Traceback).)*?KeyboardInterrupt", re.DOTALL)
"""Python prints this if Ctrl-C comes before a command has started."""

Command = Callable[..., list[str]]


def advised_deletions(said: str) -> set[str]:
    """Return the files that messages say to delete."""
    return {path for pattern in ADVICE for path in pattern.findall(said)}


def workflow(*arguments: str) -> list[str]:
    """Return the command that a user types."""
    return [sys.executable, "-m", "snakemake", "--cores", "2", *PROFILE, *arguments]


@dataclass(frozen=True)
class Flaw:
    verdict: Verdict
    what: str


@dataclass
class Trial:
    """A fault, and the flaws that it showed."""

    scene: Scene
    kind: Kind
    expected: Mapping[str, str] = field(repr=False)
    """Contents of the undisturbed project."""
    jobs: Sequence[Job] = field(repr=False)
    """Jobs that made the undisturbed project."""
    log: Path
    """Output of all runs, on another disk than the project."""
    limit: float = 180.0
    """Seconds within which a workflow of a few jobs ends."""
    command: Command = workflow
    longest: float = 300.0
    """Seconds within which all runs have ended."""
    flaws: list[Flaw] = field(default_factory=list)
    is_harmed: bool = True
    """Whether the disturbed run failed."""
    job_seconds: float = 3.0
    """Seconds of the last undisturbed job."""
    began: float = field(default_factory=time.monotonic)
    sessions: list[Session] = field(default_factory=list)

    def run(self) -> bool:
        """Carry out the fault and judge it; return False if it came too late or had no effect."""
        self.kind.prepare(self.scene)
        is_unread = bool(self.scene.damaged & set(self.scene.job.outputs))
        if not is_unread and not self.disturb():
            return False
        self.recover_unnoticed()
        self.judge_end()
        return self.is_harmed or not self.kind.must_harm

    def disturb(self) -> bool:
        """Run the workflow, disturb it, and run it again until it succeeds."""
        before = contents(self.scene.folder)
        session = self.start("--", *self.scene.job.outputs)
        is_in_time = self.kind.strike(self.scene, session)
        said = self.end(session, with_jobs=not self.kind.leaves_job)
        if is_in_time:
            self.judge_disturbed(before, said, session.process.returncode)
            self.kind.repair(self.scene)
            self.recover(said)
        elif session.process.returncode:
            self.flaws.append(Flaw("failed", f"{self.scene.job.outputs[0]} was not made, without a fault"))
        self.end(session)
        return is_in_time

    def start(self, *arguments: str) -> Session:
        self.sessions.append(Session(self.command(*arguments), self.scene.folder, self.log))
        return self.sessions[-1]

    def stop(self) -> None:
        """Kill all processes of the trial."""
        for session in self.sessions:
            session.wait(0)

    def end(self, session: Session, with_jobs: bool = True) -> str:
        """Wait for the end of a session; return its output."""
        limit = self.left()
        if not session.wait(limit, with_jobs):
            self.flaws.append(Flaw("hang", f"not ended after {limit:.0f} s"))
        return session.said()

    def left(self) -> float:
        """Return the seconds that a run may still take."""
        return max(0.0, min(self.limit, self.began + self.longest - time.monotonic()))

    def judge_disturbed(self, before: Mapping[str, str], said: str, code: int) -> None:
        """Check that nothing finished is lost, nothing unfinished has a final name, and a message explains."""
        self.is_harmed = code != 0
        now = contents(self.scene.folder)
        begun = [output for job in jobs_in(said) for output in job.outputs]
        for path, digest in now.items():
            if path not in self.scene.damaged and digest != self.expected.get(path, digest):
                kind: Verdict = "lost" if before.get(path) == self.expected[path] else "wrong"
                self.flaws.append(Flaw(kind, f"{path} has another content after the fault"))
        for path in before.keys() - now.keys() - self.scene.damaged:
            if not is_temporary(path) and not any(path == one or path.startswith(f"{one}/") for one in begun):
                self.flaws.append(Flaw("lost", f"{path} is gone after the fault"))
        if self.is_harmed and not self.kind.silent:
            self.judge_message(said, self.kind.explains(self.scene, said))

    def judge_message(self, said: str, is_explained: bool) -> None:
        if TRACEBACK.search(INTERRUPTED.sub("", said)):
            self.flaws.append(Flaw("unclear", "a traceback"))
        if not is_explained:
            self.flaws.append(Flaw("unclear", "no line says what happened"))

    def recover(self, said: str, *targets: str) -> None:
        """Run the workflow until it succeeds, and follow its messages: delete files, unlock, rerun incomplete ones."""
        asked = targets or self.scene.job.outputs
        for _ in range(ATTEMPTS):
            for path in advised_deletions(said):
                remove(self.scene.folder / path)
            if LOCKED in said:
                self.end(self.start(LOCKED, "--", *asked))
            session = self.start(*([INCOMPLETE] if INCOMPLETE in said else []), "--", *asked)
            began = session.until(session.has_job, self.left()) and time.monotonic()
            said = self.end(session)
            there = {target for target in THERE.findall(said) if (self.scene.folder / target).exists()}
            asked = tuple(target for target in asked if target not in there)
            if session.process.returncode == 0 or not asked:
                self.job_seconds = time.monotonic() - began if began else self.job_seconds
                return
            self.judge_message(said, is_explained=True)
        self.flaws.append(Flaw("stuck", f"it fails {ATTEMPTS} times"))

    def recover_unnoticed(self) -> None:
        """Check that `jvgn verify` finds damaged files that no job read; delete them and run the workflow."""
        now = contents(self.scene.folder)
        for path in sorted(self.scene.damaged):
            if (path in now and now[path] != self.expected[path]) or self.is_noticed(path):
                if not self.is_noticed(path):
                    self.flaws.append(Flaw("wrong", f"{path} is damaged, and nothing reports it"))
                output = self.made_as(path)
                remove(self.scene.folder / output)
                self.recover("", output)

    def made_as(self, path: str) -> str:
        """Return the output that a file is, or is in."""
        outputs = [output for job in self.jobs for output in job.outputs]
        return next(output for output in outputs if path == output or path.startswith(f"{output}/"))

    def is_noticed(self, path: str) -> bool:
        return any(finding.path == self.scene.folder / path for finding in self.findings())

    def findings(self) -> list[Finding]:
        """Return what `jvgn verify` finds, except stale files."""
        made = [*verify(self.scene.folder / "results"), *verify(self.scene.folder / "resources")]
        return [one for one in made if one.kind == "broken" or (one.kind == "unknown" and "results" in one.path.parts)]

    def judge_end(self) -> None:
        """Check that all files are as in the undisturbed project."""
        now = contents(self.scene.folder)
        for path in sorted(now.keys() | self.expected.keys()):
            if now.get(path) != self.expected.get(path) and not (path not in now and is_temporary(path)):
                state = "is missing" if path not in now else "differs" if path in self.expected else "is not expected"
                self.flaws.append(Flaw("wrong", f"{path} {state} after all"))
        for path in files_of(self.scene.folder):
            if is_left_over(path):
                self.flaws.append(Flaw("left over", path))
        for finding in self.findings():
            self.flaws.append(Flaw("wrong", f"{finding.kind}: {finding.path}: {finding.reason}"))
