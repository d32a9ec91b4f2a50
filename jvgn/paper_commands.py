"""Commands about the paper's experiments as a whole: its tables, as far as runs were made."""

from pathlib import Path

import click

from jvgn.command_options import FILE
from jvgn.paper.runs import RUNS_OF_TABLES

TABLE = click.Choice(list(RUNS_OF_TABLES))


@click.command()
@click.argument("table", type=TABLE)
@click.argument("metrics", type=FILE, nargs=-1)
@click.option("--csv", type=FILE, required=True)
@click.option("--markdown", type=FILE, required=True)
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
        click.echo(as_markdown(name, paper_table(name, metrics)))
        if output is not None:
            write_tables(name, metrics, output / f"{name}.csv", output / f"{name}.md")


PAPER_COMMANDS = [tabulate, tables]
