"""Growth of costs with the number of expressions, and its limits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tests.long.load.measuring import Cost

Clock = Literal["seconds", "cpu_seconds"]
Costs = Mapping[int, Cost]
"""Costs by the number of expressions."""

WHOLE = "whole"
"""All stages together."""
MOST_RATIO = 1.2
MOST_MB = 2000
BOUNDED = ("graphs", "vocabulary", "training")
"""Stages whose memory has a limit."""
LONGEST_SILENCE = 10


@dataclass(frozen=True)
class Verdict:
    claim: str
    found: str
    is_met: bool


def least(costs: Sequence[Cost]) -> Cost:
    """Return the least times of several runs, because disturbances only add time, and the worst of the rest."""
    return Cost(
        seconds=min(cost.seconds for cost in costs),
        cpu_seconds=min(cost.cpu_seconds for cost in costs),
        peak_mb=max(cost.peak_mb for cost in costs),
        silence=max(cost.silence for cost in costs),
    )


def one_after_the_other(costs: Iterable[Cost]) -> Cost:
    costs = list(costs)
    return Cost(
        seconds=sum(cost.seconds for cost in costs),
        cpu_seconds=sum(cost.cpu_seconds for cost in costs),
        peak_mb=max(cost.peak_mb for cost in costs),
        silence=max(cost.silence for cost in costs),
    )


def marginal(costs: Costs, start: int, stop: int, clock: Clock = "seconds") -> float:
    """Return the seconds of one more expression, from `start` to `stop`; the start of a command cancels out."""
    return (getattr(costs[stop], clock) - getattr(costs[start], clock)) / (stop - start)


def marginals(costs: Costs, clock: Clock = "seconds") -> tuple[float, float]:
    """Return the seconds of one more expression at the two smallest sizes, and at the two largest."""
    sizes = sorted(costs)
    return marginal(costs, *sizes[:2], clock), marginal(costs, *sizes[-2:], clock)


def slope(costs: Costs, clock: Clock = "seconds") -> float:
    """Return the slope of log time over log size: 1 if time is proportional to size."""
    times = [getattr(cost, clock) for cost in costs.values()]
    return float(np.polyfit(np.log(list(costs)), np.log(times), 1)[0])


def verdicts(stages: Mapping[str, Costs]) -> list[Verdict]:
    """Judge the time of all stages together, and memory and silence of each."""
    found = [time_verdict(stages[WHOLE])]
    for stage in BOUNDED:
        peak = max(cost.peak_mb for cost in stages[stage].values())
        found.append(Verdict(f"{stage}: peak memory under {MOST_MB:,} MB", f"{peak:,.0f} MB", peak < MOST_MB))
    for stage, costs in stages.items():
        if stage != WHOLE:
            silence = max(cost.silence for cost in costs.values())
            claim = f"{stage}: never silent for {LONGEST_SILENCE} s"
            found.append(Verdict(claim, f"{silence:.1f} s", silence < LONGEST_SILENCE))
    return found


def time_verdict(costs: Costs) -> Verdict:
    small, large = marginals(costs)
    first, second, *_, last_but_one, last = sorted(costs)
    claim = f"time an expression from {last_but_one:,} to {last:,} at most {MOST_RATIO} times"
    claim += f" that from {first:,} to {second:,}"
    return Verdict(claim, f"{large / small:.2f} times", large <= MOST_RATIO * small)
