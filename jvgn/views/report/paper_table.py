"""A table of the paper with our figures, as a page."""

from pathlib import Path

import pandas as pd

from jvgn.views.report.page import table, write_page
from parsers.errors import BrokenFile


def write_paper_table(csv: Path, title: str, output: Path) -> None:
    """`output` shows the rows of a CSV file, as they are."""
    try:
        rows = pd.read_csv(csv, dtype=str, keep_default_na=False)
    except FileNotFoundError as error:
        raise BrokenFile(csv, "there is no such file", f"make it: snakemake --cores all {csv}") from error
    except (ValueError, OSError) as error:
        raise BrokenFile(csv, f"not a readable table ({error})") from error
    write_page(title, [table(list(rows), rows.to_numpy().tolist())], output)
