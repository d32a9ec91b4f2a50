"""Commands about experiments as a whole: the paper's tables, as far as runs were made, and what a run would take."""

from pathlib import Path

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, made
from jvgn.paper.runs import RUNS_OF_TABLES
from jvgn.storage.stage_command import Given, Stage
from parsers.errors import UserError

TABLE = click.Choice(list(RUNS_OF_TABLES))


@click.command(cls=Stage)
@click.argument("table", type=TABLE)
@click.argument("metrics", type=Given(), nargs=-1)
@made("csv", "markdown")
def tabulate(table: str, metrics: tuple[Path, ...], csv: Path, markdown: Path) -> None:
    """Write a TABLE of the paper with our figures, from the METRICS of runs."""
    from jvgn.paper.writing import write_tables

    write_tables(table, list(metrics), csv, markdown)


@click.command()
@click.argument("names", type=TABLE, nargs=-1)
@click.option("--results", type=FILE, default=Path("results"), show_default=True)
@click.option("--output", type=FILE, help="Also write them into this folder, as CSV and as Markdown.")
def tables(names: tuple[str, ...], results: Path, output: Path | None) -> None:
    """Print the paper's tables (all, or those of these NAMES) with what was run so far; nothing is run for them."""
    from jvgn.paper.runs import existing_metrics
    from jvgn.paper.tables import paper_table
    from jvgn.paper.writing import as_markdown, write_tables

    for name in names or RUNS_OF_TABLES:
        metrics = existing_metrics(results, name)
        say(*as_markdown(name, paper_table(name, metrics)).split("\n"))
        if output is not None:
            write_tables(name, metrics, output / f"{name}.csv", output / f"{name}.md")


@click.command()
@click.argument("experiment")
@click.option("--run", default="default", show_default=True, help="One of config.yaml's.")
@click.option("--preset", help="Instead of config.yaml's.")
@click.option(
    "--throughput",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Of the GPU, in tera-operations a second, as far as they are reached.",
)
@click.option("--config", type=FILE, multiple=True, help="config.yaml, if left out; later ones lie over earlier ones.")
def plan(experiment: str, run: str, preset: str | None, throughput: float, config: tuple[Path, ...]) -> None:
    """Print what an EXPERIMENT such as refcocog_det would take, and what is there already; no data is needed."""
    from jvgn.planning.experiment import Experiment
    from jvgn.planning.plan import plan as lines
    from jvgn.settings.configuration import read_configurations

    dataset, _, setting = experiment.rpartition("_")
    if not dataset:
        raise UserError(f"{experiment}: expected a dataset and a setting, such as refcocog_det")
    config = config or (Path("config.yaml"),)
    chosen = Experiment(read_configurations(config, preset), dataset, setting, run)
    say(*lines(chosen, throughput))


PAPER_COMMANDS = [tabulate, tables, plan]
