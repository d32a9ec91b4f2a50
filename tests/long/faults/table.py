"""Output: a line for each fault, and a table of faults by stage and kind."""

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


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield rows of stages and columns of kinds: the number of faults, and after `!` of those that showed a flaw.

    The last row counts the faults that made a run fail.
    """
    outcomes = [outcome for outcome in outcomes if not outcome.is_late]
    kinds = sorted({outcome.fault.kind.name for outcome in outcomes})
    stages = sorted({outcome.fault.job.stage for outcome in outcomes})
    yield row("", [*kinds, "all"], kinds)
    for stage in stages:
        own = [outcome for outcome in outcomes if outcome.fault.job.stage == stage]
        yield row(stage, cells(own, kinds), kinds)
    yield row("all", cells(outcomes, kinds), kinds)
    yield row("did harm", cells([outcome for outcome in outcomes if outcome.is_harmed], kinds), kinds)


def cells(outcomes: Sequence[Outcome], kinds: Sequence[str]) -> list[str]:
    parts = [[outcome for outcome in outcomes if outcome.fault.kind.name == kind] for kind in kinds]
    return [cell(part) for part in [*parts, outcomes]]


def cell(outcomes: Sequence[Outcome]) -> str:
    flawed = sum(bool(outcome.flaws) for outcome in outcomes)
    return f"{len(outcomes)}!{flawed}" if flawed else str(len(outcomes) or "·")


def row(name: str, values: Sequence[str], kinds: Sequence[str]) -> str:
    widths = [max(len(kind), 4) for kind in [*kinds, "all"]]
    return f"{name:<18}" + "".join(f"  {value:>{width}}" for value, width in zip(values, widths, strict=True))


def explained(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what went wrong, and how to repeat it."""
    for outcome in outcomes:
        if outcome.flaws:
            fault = outcome.fault
            what = f"--only {fault.number}" if fault.number >= 0 else "--whole 12"
            again = f"python -m tests.long.faults --seed {fault.seed} {what}"
            yield f"{fault}, at {fault.job.outputs[0]}; again: {again}"
            yield from (f"    {flaw.verdict}: {flaw.what}" for flaw in outcome.flaws)


def summary(outcomes: Sequence[Outcome]) -> str:
    counts = {name: sum(flaw.verdict == name for one in outcomes for flaw in one.flaws) for name in VERDICTS}
    late = sum(one.is_late for one in outcomes)
    found = ", ".join(f"{counts[name]} {VERDICTS[name]}" for name in VERDICTS)
    return f"{len(outcomes) - late} faults: {found}; {late} more came too late"
