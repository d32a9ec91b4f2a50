"""One fault, from a copy of the finished project to the comparison with it."""

import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jvgn.storage.verify import Finding, verify
from tests.long.faults.content import contents, files_of, is_left_over
from tests.long.faults.jobs import Job, is_temporary, jobs_in
from tests.long.faults.kind import Kind
from tests.long.faults.miniature import PROFILE
from tests.long.faults.recovery import follow, is_locked, remove
from tests.long.faults.scene import Scene
from tests.long.faults.session import Session

Verdict = Literal["wrong", "lost", "hang", "unclear", "stuck", "left over", "failed", "harness"]
ATTEMPTS = 6
"""Runs within which a user may expect to be done."""
THERE = "is there already; delete it, if it shall be fetched again"
"""What the workflow says to somebody who asks for a download that is there."""
TRACEBACK = re.compile(r'File "(?!.*/(?:\.venv|site-packages)/).*/(jvgn|parsers)/(\w+/)*\w+\.py", line')
"""Of our own, wherever the project lies. Snakemake has some for a disk that it cannot write to, beside the line that
explains them."""
INTERRUPTED = re.compile(r"Traceback \(most recent call last\):\n(?:(?!Traceback).)*?KeyboardInterrupt", re.DOTALL)
"""What Python says to somebody who pressed Ctrl-C before a command had begun."""

Command = Callable[..., list[str]]


def workflow(*arguments: str) -> list[str]:
    """What a user types."""
    return [sys.executable, "-m", "snakemake", "--cores", "2", *PROFILE, *arguments]


@dataclass(frozen=True)
class Flaw:
    verdict: Verdict
    what: str


@dataclass
class Trial:
    """A fault, and what it has shown."""

    scene: Scene
    kind: Kind
    expected: Mapping[str, str] = field(repr=False)
    """What the undisturbed project holds."""
    jobs: Sequence[Job] = field(repr=False)
    """Those that made it."""
    log: Path
    """What is said, all runs together; it lies on another disk than the project."""
    limit: float = 180.0
    """Seconds within which a workflow of a few jobs ends."""
    command: Command = workflow
    longest: float = 300.0
    """Seconds within which all runs have ended."""
    flaws: list[Flaw] = field(default_factory=list)
    is_harmed: bool = True
    """Whether the disturbed run failed."""
    job_seconds: float = 3.0
    """Of the last job that was not disturbed."""
    began: float = field(default_factory=time.monotonic)
    sessions: list[Session] = field(default_factory=list)

    def run(self) -> bool:
        """The fault has happened, and all is judged; False if it came too late, or was too little to be one."""
        self.kind.prepare(self.scene)
        is_unread = bool(self.scene.damaged & set(self.scene.job.outputs))
        if not is_unread and not self.disturb():
            return False
        self.recover_unnoticed()
        self.judge_end()
        return self.is_harmed or not self.kind.must_harm

    def disturb(self) -> bool:
        """The workflow runs, is disturbed, and is run again until it ends well."""
        before = contents(self.scene.folder)
        session = self.start("--", *self.scene.targets)
        is_in_time = self.kind.strike(self.scene, session)
        said = self.end(session, with_jobs=not self.kind.leaves_job)
        if is_in_time:
            self.judge_disturbed(before, said, session.process.returncode)
            self.kind.mend(self.scene)
            self.recover(said)
        elif session.process.returncode:
            self.flaws.append(Flaw("failed", f"{self.scene.job.outputs[0]} was not made, though nothing happened"))
        self.end(session)
        return is_in_time

    def start(self, *arguments: str) -> Session:
        self.sessions.append(Session(self.command(*arguments), self.scene.folder, self.log))
        return self.sessions[-1]

    def stop(self) -> None:
        """No process of it is left."""
        for session in self.sessions:
            session.wait(0)

    def end(self, session: Session, with_jobs: bool = True) -> str:
        """What was said by the end."""
        limit = self.left()
        if not session.wait(limit, with_jobs):
            self.flaws.append(Flaw("hang", f"not ended after {limit:.0f} s"))
        return session.said()

    def left(self) -> float:
        """Seconds that a run may still take."""
        return max(0.0, min(self.limit, self.began + self.longest - time.monotonic()))

    def judge_disturbed(self, before: Mapping[str, str], said: str, code: int) -> None:
        """After the fault, nothing finished is gone, nothing unfinished looks finished, and the user knows."""
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
            self.flaws.append(Flaw("unclear", "no line says what happened and to which file"))

    def recover(self, said: str, *targets: str) -> None:
        """The workflow has ended well, by doing what the messages say."""
        asked = targets or self.scene.targets
        for _ in range(ATTEMPTS):
            follow(said, self.scene.folder)
            if is_locked(said):
                self.end(self.start("--unlock", "--", *asked))
            session = self.start("--", *asked)
            began = session.until(session.has_job, self.left()) and time.monotonic()
            said = self.end(session)
            asked = tuple(target for target in asked if f"{target}: {THERE}" not in said)
            if session.process.returncode == 0 or not asked:
                self.job_seconds = time.monotonic() - began if began else self.job_seconds
                return
            self.judge_message(said, is_explained=True)
        self.flaws.append(Flaw("stuck", f"it does not end well, even at the {ATTEMPTS}th time"))

    def recover_unnoticed(self) -> None:
        """What was damaged and never read is found by `jvgn verify`; without it, the workflow makes it again."""
        now = contents(self.scene.folder)
        for path in sorted(self.scene.damaged):
            if (path in now and now[path] != self.expected[path]) or self.is_noticed(path):
                if not self.is_noticed(path):
                    self.flaws.append(Flaw("wrong", f"{path} is damaged, and nobody notices"))
                output = self.made_as(path)
                remove(self.scene.folder / output)
                self.recover("", output)

    def made_as(self, path: str) -> str:
        """The output that a file is, or is in."""
        outputs = [output for job in self.jobs for output in job.outputs]
        return next(output for output in outputs if path == output or path.startswith(f"{output}/"))

    def is_noticed(self, path: str) -> bool:
        return any(finding.path == self.scene.folder / path for finding in self.findings())

    def findings(self) -> list[Finding]:
        """What `jvgn verify` says, but for what is only older than what it was made from."""
        made = [*verify(self.scene.folder / "results"), *verify(self.scene.folder / "resources")]
        return [one for one in made if one.kind == "broken" or (one.kind == "unknown" and "results" in one.path.parts)]

    def judge_end(self) -> None:
        """All is as if nothing had happened."""
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
