"""The report's figures on the command line: each command draws one from the files of a finished run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from jvgn.cli.options import given, made, tables
from jvgn.storage.stage_command import Stage


def drawn_from(*names: str) -> Callable:
    """Required options that name the files behind a figure, and what it becomes."""
    title = click.option("--title", required=True, help="Of what it is a figure.")
    return lambda command: given(*names)(made("figure", "numbers")(title(command)))


@click.group()
def figures() -> None:
    """Draw what a run did. Beside each figure lies the table of numbers it is drawn from."""


@figures.command(cls=Stage)
@drawn_from("history")
def learning(history: Path, **output: Any) -> None:
    """Draw the loss and the accuracy on val, epoch by epoch."""
    from jvgn.views.report.charts import Output
    from jvgn.views.report.learning import draw_learning

    draw_learning(history, Output(**output))


@figures.command(cls=Stage)
@tables("expressions", "mentions")
@drawn_from("nodes", "edges", "predictions")
def sizes(dataset: Path, nodes: Path, edges: Path, predictions: Path, **output: Any) -> None:
    """Draw the accuracy by the number of objects and relations, before and after message passing."""
    from jvgn.views.report.charts import Output
    from jvgn.views.report.sizes import draw_sizes

    draw_sizes(dataset, nodes, edges, predictions, Output(**output))


@figures.command(cls=Stage)
@tables("expressions", "mentions")
@drawn_from("nodes", "edges", "predictions")
def calibration(dataset: Path, nodes: Path, edges: Path, predictions: Path, **output: Any) -> None:
    """Draw how often referents are found, by the probability that the model gave."""
    from jvgn.views.report.calibration import draw_calibration
    from jvgn.views.report.charts import Output

    draw_calibration(dataset, nodes, edges, predictions, Output(**output))


@figures.command(cls=Stage)
@drawn_from("ablation")
def ablation(ablation: Path, **output: Any) -> None:
    """Draw what marginalisation in training and in inference is worth."""
    from jvgn.views.report.ablation import draw_ablation
    from jvgn.views.report.charts import Output

    draw_ablation(ablation, Output(**output))


@figures.command(cls=Stage)
@drawn_from("expressions", "nodes", "edges", "coverage")
def coverage(expressions: Path, nodes: Path, edges: Path, coverage: Path, **output: Any) -> None:
    """Draw how large the graphs are, and what they lack of the sentences."""
    from jvgn.views.report.charts import Output
    from jvgn.views.report.coverage import draw_coverage

    draw_coverage(expressions, nodes, edges, coverage, Output(**output))


@figures.command(cls=Stage)
@tables("expressions", "objects")
@drawn_from("regions")
def recall(dataset: Path, regions: Path, **output: Any) -> None:
    """Draw how many referents the regions cover, by the IoU that counts as covering."""
    from jvgn.views.report.charts import Output
    from jvgn.views.report.recall import draw_recall

    draw_recall(dataset, regions, Output(**output))


@figures.command(cls=Stage)
@drawn_from("measured")
def average_precision(measured: Path, **output: Any) -> None:
    """Draw how well a detector finds each category."""
    from jvgn.views.report.average_precision import draw_average_precision
    from jvgn.views.report.charts import Output

    draw_average_precision(measured, Output(**output))


@figures.command(cls=Stage)
@given("csv")
@made("output")
@click.option("--title", required=True)
def paper_table(csv: Path, title: str, output: Path) -> None:
    """Write a table of the paper with our figures as a page."""
    from jvgn.views.report.paper_table import write_paper_table

    write_paper_table(csv, title, output)


@figures.command(cls=Stage)
@given("picture")
@made("output")
@click.option("--title", required=True)
def picture(picture: Path, title: str, output: Path) -> None:
    """Write a picture as a page."""
    from jvgn.views.report.page import write_picture_page

    write_picture_page(title, picture, output)


@figures.command(cls=Stage)
@given("metrics")
@made("output")
def results(metrics: Path, output: Path) -> None:
    """Write a run's metrics as a page of tables."""
    from jvgn.views.report.results import write_results

    write_results(metrics, output)
