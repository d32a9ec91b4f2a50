"""Commands that draw the report's figures, each from the files of a finished run."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jvgn.cli.options import given, made, tables, title_option
from jvgn.storage.stage_command import Stage

if TYPE_CHECKING:
    from jvgn.views.report.charts import Output


def drawn_from(*names: str) -> Callable:
    """Add required options for the inputs of a figure, and for its `output`: figure, numbers and title."""

    def decorate(command: Callable) -> Callable:
        @wraps(command)
        def draw(figure: Path, numbers: Path, title: str, **inputs: Path) -> None:
            from jvgn.views.report.charts import Output

            command(output=Output(figure, numbers, title), **inputs)

        return given(*names)(made("figure", "numbers")(title_option(draw)))

    return decorate


@click.group()
def figures() -> None:
    """Draw the figures of the report, each with the table of numbers that it shows."""


@figures.command(cls=Stage)
@drawn_from("history")
def learning(history: Path, output: "Output") -> None:
    """Draw the loss and the accuracy on val, epoch by epoch."""
    from jvgn.views.report.run_figures import draw_learning

    draw_learning(history, output)


@figures.command(cls=Stage)
@tables("expressions", "mentions")
@drawn_from("nodes", "edges", "predictions")
def sizes(dataset: Path, nodes: Path, edges: Path, predictions: Path, output: "Output") -> None:
    """Draw the accuracy by the number of objects and relations, before and after message passing."""
    from jvgn.views.report.run_figures import draw_sizes

    draw_sizes(dataset, nodes, edges, predictions, output)


@figures.command(cls=Stage)
@tables("expressions", "mentions")
@drawn_from("nodes", "edges", "predictions")
def calibration(dataset: Path, nodes: Path, edges: Path, predictions: Path, output: "Output") -> None:
    """Draw how often referents are found, by the model's probability."""
    from jvgn.views.report.run_figures import draw_calibration

    draw_calibration(dataset, nodes, edges, predictions, output)


@figures.command(cls=Stage)
@drawn_from("ablation")
def ablation(ablation: Path, output: "Output") -> None:
    """Draw the accuracy with and without marginalisation in training and in inference."""
    from jvgn.views.report.run_figures import draw_ablation

    draw_ablation(ablation, output)


@figures.command(cls=Stage)
@drawn_from("expressions", "nodes", "edges", "coverage")
def coverage(expressions: Path, nodes: Path, edges: Path, coverage: Path, output: "Output") -> None:
    """Draw the sizes of the graphs, and what is missing in them."""
    from jvgn.views.report.input_figures import draw_coverage

    draw_coverage(expressions, nodes, edges, coverage, output)


@figures.command(cls=Stage)
@tables("expressions", "objects")
@drawn_from("regions")
def recall(dataset: Path, regions: Path, output: "Output") -> None:
    """Draw how many referents the regions cover, by IoU threshold."""
    from jvgn.views.report.input_figures import draw_recall

    draw_recall(dataset, regions, output)


@figures.command(cls=Stage)
@drawn_from("measured")
def average_precision(measured: Path, output: "Output") -> None:
    """Draw a detector's average precision by category."""
    from jvgn.views.report.input_figures import draw_average_precision

    draw_average_precision(measured, output)


@figures.command(cls=Stage)
@given("csv")
@made("output")
@title_option
def paper_table(csv: Path, title: str, output: Path) -> None:
    """Write a table of the paper with our figures as a page."""
    from jvgn.views.report.result_pages import write_paper_table

    write_paper_table(csv, title, output)


@figures.command(cls=Stage)
@given("picture")
@made("output")
@title_option
def picture(picture: Path, title: str, output: Path) -> None:
    """Write a picture as a page."""
    from jvgn.views.report.result_pages import write_picture_page

    write_picture_page(title, picture, output)


@figures.command(cls=Stage)
@given("metrics")
@made("output")
def results(metrics: Path, output: Path) -> None:
    """Write a run's metrics as a page of tables."""
    from jvgn.views.report.result_pages import write_results

    write_results(metrics, output)
