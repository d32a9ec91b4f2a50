"""The printed plan: the stages of an experiment, what they take, what exists, and what was counted or assumed."""

from collections.abc import Iterable

from jvgn.planning.experiment import FULLEST, WORD_PADDING, Experiment
from jvgn.planning.resources import REQUESTS
from jvgn.planning.stages import PlannedStage, stages_of
from jvgn.storage.shown_text import aligned

COLUMNS = ("stage", "state", "download", "disk", "memory", "GPU memory", "operations", "GPU hours")
UNKNOWN = "?"
TERA = 1e12


def plan(experiment: Experiment, throughput: float) -> list[str]:
    """Return the lines of a table of the stages, its totals, and what was counted or assumed.

    `throughput` is the device's, in tera-operations a second.
    """
    stages = stages_of(experiment)
    rows = [COLUMNS, *(row(stage, throughput) for stage in stages), total(stages, throughput)]
    header, rule, *lines, totals = aligned(rows, words=1)
    table = [header, rule, *with_remarks(lines, stages), rule, totals]
    title = f"{experiment.paths.metrics}, run {experiment.run_name}; sizes of the data: {experiment.size.origin}"
    return [title, "", *table, "", *notes(experiment, throughput)]


def with_remarks(lines: list[str], stages: list[PlannedStage]) -> list[str]:
    return [f"{line}  {stage.remark}".rstrip() for line, stage in zip(lines, stages, strict=True)]


def row(stage: PlannedStage, throughput: float) -> tuple[str, ...]:
    state = "done" if stage.is_done else f"{stage.existing} of {len(stage.files)}" if stage.existing else "to do"
    return (
        stage.name,
        state,
        in_bytes(stage.download),
        in_bytes(stage.disk),
        in_bytes(asked_memory(stage.rule) if stage.rule else 0.0),
        in_bytes(stage.device_memory),
        f"{stage.operations:.1e}" if stage.operations else "",
        in_hours(stage.operations, throughput),
    )


def total(stages: list[PlannedStage], throughput: float) -> tuple[str, ...]:
    """Return the totals of what is still to do. GPU memory is the largest of a stage, not the sum."""
    left = [stage for stage in stages if not stage.is_done]
    operations = sum(stage.operations for stage in left)
    return (
        "still to do",
        "",
        summed(stage.download for stage in left),
        summed(stage.disk for stage in left),
        "",
        in_bytes(max((stage.device_memory for stage in left), default=0.0)),
        f"{operations:.1e}" if operations else "",
        in_hours(operations, throughput),
    )


def summed(values: Iterable[float | None]) -> str:
    values = list(values)
    known = in_bytes(sum(value for value in values if value is not None))
    return f"{known} + {UNKNOWN}".removeprefix(" + ") if None in values else known


def in_bytes(value: float | None) -> str:
    """Return a size with three digits, or an empty string for zero."""
    if value is None:
        return UNKNOWN
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f} B" if value else ""


def in_hours(operations: float, throughput: float) -> str:
    hours = operations / (throughput * TERA) / 3600
    return "" if not operations else f"{hours:.2f}" if hours >= 0.01 else "< 0.01"


def asked_memory(rule: str) -> float | None:
    """Return the bytes of memory that a rule asks for in its first attempt; None if they depend on settings."""
    megabytes = REQUESTS[rule].megabytes
    return None if megabytes is None else megabytes * 1e6


def notes(experiment: Experiment, throughput: float) -> list[str]:
    size, language = experiment.size, experiment.size.language
    splits = ", ".join(f"{number:,} {split}" for split, number in size.expressions.items())
    return [
        "State: whether the files exist; `snakemake -n` says whether they are up to date. Disk: about what remains,",
        "downloaded archives included. Memory: what the workflow asks for a job. GPU memory: while training.",
        f"Counted: {size.images:,} images, {size.objects:,} objects, expressions: {splits} ({size.origin});",
        "the detector's convolutions and products, forward and backward, and the tensors it keeps; the model's",
        "parameters and products. Not counted: reading images, sorting proposals, GPU workspaces, parsing.",
        f"Assumed: {throughput:g} tera-operations a second, sustained (--throughput; data sheets promise more);",
        f"{language.words:.1f} words, {language.nodes:.1f} nodes, {language.edges:.1f} edges an expression;"
        f" {experiment.regions:.1f} regions an image, as many as objects unless counted;",
        f"mini-batches padded to {WORD_PADDING:g} times their mean of words, {FULLEST:g} times that of regions, nodes"
        " and edges; images of 4 by 3.",
    ]
