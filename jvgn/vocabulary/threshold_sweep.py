"""Compare the size of a dataset's vocabulary for each threshold and choice of splits with the paper's size.

`sweep.csv` has a row for each choice: more_often_than, splits (both are settings of the vocabulary), words, size (with
`<pad>` and `<unk>`), coverage (percent of all words in the dataset's sentences), evaluation_coverage (of those outside
train). If the paper gives a size for the dataset: paper_size, paper_source, difference (ours less the paper's), nearest
(no other choice is closer); otherwise these are empty.
"""

from pathlib import Path

import pandas as pd

from jvgn.storage.files import replacing
from jvgn.vocabulary.words import SPECIAL, count_words, frequent_words

SIZES_IN_PAPER = {"refcoco": 1991, "refcoco+": 2626, "refcocog": 6894}
"""As published, by dataset; the paper does not say how it counted."""
SOURCE = "Joint Visual Grounding with Language Scene Graphs, appendix, caption of Table B"
THRESHOLDS = range(11)


def sweep(expressions: Path, output: Path, dataset: str) -> None:
    """Write a row for every threshold and choice of splits."""
    everywhere, in_train = count_words(expressions, "all"), count_words(expressions, "train")
    elsewhere = everywhere - in_train
    rows = []
    for splits, counts in (("train", in_train), ("all", everywhere)):
        for more_often_than in THRESHOLDS:
            kept = frequent_words(counts, more_often_than)
            coverages = [percent(sum(read[word] for word in kept), read.total()) for read in (everywhere, elsewhere)]
            rows.append((more_often_than, splits, len(kept), len(SPECIAL) + len(kept), *coverages))
    names = ["more_often_than", "splits", "words", "size", "coverage", "evaluation_coverage"]
    table = beside_paper(pd.DataFrame(rows, columns=names), SIZES_IN_PAPER.get(dataset))
    with replacing(output) as temporary:
        table.to_csv(temporary, index=False)


def percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 3) if whole else None


def beside_paper(table: pd.DataFrame, size: int | None) -> pd.DataFrame:
    """Return the table with the paper's size and each row's distance from it; empty columns if the size is None."""
    if size is None:
        return table.assign(paper_size=None, paper_source=None, difference=None, nearest=None)
    difference = table["size"] - size
    nearest = difference.abs() == difference.abs().min()
    return table.assign(paper_size=size, paper_source=SOURCE, difference=difference, nearest=nearest)
