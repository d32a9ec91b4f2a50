"""Output: a line for each fault, and a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.long.faults.jobs import Fault
from tests.long.faults.trial import Flaw

VERDICTS = {
    "wrong": "wrong results",
    "lost": "lost finished outputs",
    "hang": "hangs",
    "unclear": "unclear messages",
    "stuck": "runs that do not recover",
    "left over": "leftovers",
    "failed": "failures without a fault",
    "harness": "errors of the harness itself",
}


@dataclass(frozen=True)
class Outcome:
    fault: Fault
    flaws: Sequence[Flaw]
    seconds: float
    is_harmed: bool
    """Whether the disturbed run failed."""
    is_late: bool = False
    """Whether every attempt came too late."""

    def line(self) -> str:
        verdict = ", ".join(dict.fromkeys(flaw.verdict for flaw in self.flaws)) or (
            "too late" if self.is_late else "recovered" if self.is_harmed else "unharmed"
        )
        return f"{self.fault.number:4}  {self.fault!s:34}  {self.seconds:5.1f} s  {verdict}"


def explained(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what went wrong, and how to repeat it."""
    for outcome in outcomes:
        if outcome.flaws:
            fault = outcome.fault
            again = f"python -m tests.long.faults --seed {fault.seed} --only {fault.number}"
            yield f"{fault}, at {fault.job.outputs[0]}; again: {again}"
            yield from (f"    {flaw.verdict}: {flaw.what}" for flaw in outcome.flaws)


def summary(outcomes: Sequence[Outcome]) -> str:
    counts = {name: sum(flaw.verdict == name for one in outcomes for flaw in one.flaws) for name in VERDICTS}
    late = sum(one.is_late for one in outcomes)
    found = ", ".join(f"{counts[name]} {VERDICTS[name]}" for name in VERDICTS)
    return f"{len(outcomes) - late} faults: {found}; {late} more came too late"
