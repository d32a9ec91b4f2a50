"""Commands that train and evaluate a run. Each hands files to one stage, which is imported when the command runs."""

from pathlib import Path

import click

from jvgn.cli.options import (
    device_option,
    given,
    made,
    paths,
    prepared_device,
    tables,
    tensorboard_option,
    threads_option,
    title_option,
    training_options,
)
from jvgn.layout import TABLES
from jvgn.paper.runs import RUNS_OF_TABLES
from jvgn.storage.stage_command import Given, Stage

RUN_FILES = ("regions", "nodes", "edges", "words", "vectors")
RUN_TABLES = tables(*TABLES)
RULES_OPTION = click.option("--rules", type=Given(), help="The rules' log-potentials, for a run with both.")


@click.command(cls=Stage)
@given("settings", *RUN_FILES)
@RUN_TABLES
@paths("images")
@made("output")
def weigh_rules(settings: Path, images: Path, output: Path, **inputs: Path) -> None:
    """Write the log-potentials of every expression by rules, which a run with `potentials: both` adds to its own."""
    from jvgn.evaluation.rule_model import weigh_rules as run
    from jvgn.settings.run import RunSettings
    from jvgn.training.examples import Inputs

    run(Inputs(**inputs), RunSettings.read(settings), images, output)


@click.command(cls=Stage)
@given("settings", *RUN_FILES)
@RUN_TABLES
@RULES_OPTION
@made("model", "history")
@tensorboard_option
@training_options
def train(
    settings: Path,
    model: Path,
    history: Path,
    tensorboard: Path | None,
    processes: int,
    machines: int,
    threads: int,
    device: str | None,
    **inputs: Path,
) -> None:
    """Train a run. Processes of torchrun train together."""
    from jvgn.runtime.distributed import start_processes
    from jvgn.settings.run import RunSettings
    from jvgn.training.examples import Inputs
    from jvgn.training.run import train as run

    start_processes(processes, machines, threads)
    run(Inputs(**inputs), RunSettings.read(settings), model, history, prepared_device(device, threads), tensorboard)


@click.command(cls=Stage)
@given("evaluation", *RUN_FILES, "model")
@RUN_TABLES
@RULES_OPTION
@made("output")
@threads_option
@device_option
def predict(evaluation: Path, model: Path, output: Path, threads: int, device: str | None, **inputs: Path) -> None:
    """Ground every node of every expression outside the training split."""
    from jvgn.evaluation.predict import predict as run
    from jvgn.settings.evaluation import EvaluationSettings
    from jvgn.training.examples import Inputs

    iou_threshold = EvaluationSettings.read(evaluation).iou_threshold
    run(Inputs(**inputs), model, output, iou_threshold, prepared_device(device, threads))


@click.command(cls=Stage)
@given("evaluation", "settings", *RUN_FILES)
@RUN_TABLES
@paths("images")
@made("output")
def predict_rules(evaluation: Path, settings: Path, images: Path, output: Path, **inputs: Path) -> None:
    """Ground every node of every expression outside the training split by rules."""
    from jvgn.evaluation.rule_model import predict_by_rules
    from jvgn.settings.evaluation import EvaluationSettings
    from jvgn.settings.run import RunSettings
    from jvgn.training.examples import Inputs

    iou_threshold = EvaluationSettings.read(evaluation).iou_threshold
    predict_by_rules(Inputs(**inputs), RunSettings.read(settings), images, output, iou_threshold)


@click.command(cls=Stage)
@given("evaluation", *RUN_FILES, "settings", "proof", "predictions")
@RUN_TABLES
@made("output")
@click.option("--model", type=Given(), help="The trained model; none if rules made the predictions.")
@click.option("--supporting", type=Given(), help="Your annotations of supporting objects.")
@click.option("--name", nargs=3, required=True, help="Names of the dataset, the setting and the run.")
def score(evaluation: Path, output: Path, name: tuple[str, str, str], **inputs: Path) -> None:
    """Compare predictions with gold and write metrics."""
    from jvgn.evaluation.score import RunName, Scored
    from jvgn.evaluation.score import score as run
    from jvgn.settings.evaluation import EvaluationSettings

    run(Scored(**inputs), RunName(*name), EvaluationSettings.read(evaluation).iou_threshold, output)


SCORED_RUN = (Given(), Given())


@click.command(cls=Stage)
@click.option("--marginalised", type=SCORED_RUN, required=True, help="Metrics and settings of the run.")
@click.option("--unmarginalised", type=SCORED_RUN, required=True, help="The same run, trained without marginalisation.")
@made("output")
def ablate(marginalised: tuple[Path, Path], unmarginalised: tuple[Path, Path], output: Path) -> None:
    """Compare marginalisation in training and inference, on and off."""
    from jvgn.evaluation.run_comparison import ScoredRun
    from jvgn.evaluation.run_comparison import ablate as table

    table(ScoredRun(*marginalised), ScoredRun(*unmarginalised), output)


@click.command(cls=Stage)
@tables("expressions", "mentions")
@made("output")
@click.option(
    "--run",
    type=(str, Given(), Given(), Given(), Given()),
    multiple=True,
    required=True,
    help="A run's name, then metrics, predictions, nodes and edges of a seed.",
)
@click.option("--against", type=(str, str), multiple=True, help="A run, and the one it is tested against: the first.")
def compare(
    dataset: Path,
    output: Path,
    run: tuple[tuple[str, Path, Path, Path, Path], ...],
    against: tuple[tuple[str, str], ...],
) -> None:
    """Compare runs by the mean and spread over their seeds, and test each against the first or another one."""
    from jvgn.evaluation.run_comparison import ComparedRun
    from jvgn.evaluation.run_comparison import compare as table

    table(dataset, [ComparedRun(*one) for one in run], output, dict(against))


@click.command(cls=Stage)
@given("nodes", "predictions")
@tables("images", "expressions")
@paths("images")
@made("output")
def examples(dataset: Path, nodes: Path, predictions: Path, images: Path, output: Path) -> None:
    """Draw expressions whose referent message passing changed."""
    from jvgn.views.examples_figure import draw_examples

    draw_examples(dataset, nodes, predictions, images, output)


@click.command(cls=Stage)
@given("evaluation", "regions", "nodes", "edges", "predictions")
@RUN_TABLES
@paths("images")
@made("output")
@title_option
def gallery(evaluation: Path, images: Path, output: Path, title: str, **sources: Path) -> None:
    """Write a page of groundings before and after message passing, from predictions."""
    from jvgn.settings.evaluation import EvaluationSettings
    from jvgn.views.gallery.gallery_page import GallerySources, write_gallery

    threshold = EvaluationSettings.read(evaluation).iou_threshold
    write_gallery(GallerySources(**sources), images, output, title, threshold)


@click.command(cls=Stage)
@click.argument("table", type=click.Choice(list(RUNS_OF_TABLES)))
@click.argument("metrics", type=Given(), nargs=-1)
@made("csv", "markdown")
def tabulate(table: str, metrics: tuple[Path, ...], csv: Path, markdown: Path) -> None:
    """Write a TABLE of the paper with our figures, from the METRICS of runs."""
    from jvgn.paper.paper_tables import write_tables

    write_tables(table, list(metrics), csv, markdown)
