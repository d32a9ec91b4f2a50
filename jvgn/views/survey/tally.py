"""Count the raters' answers: the share of each answer for each model, and how far raters agree.

`shares.csv`: model, answer, ratings (how many gave it), of (all ratings of the model), share, low, high: percent and
Wilson's 95% interval, which takes ratings as independent of each other. The answer `mostly clear or clear`, the two
best ones together, is the paper's main result.
`agreement.csv`: model (or `all`), raters, examples (rated by two or more), same_answer (percent of the pairs of
raters), alpha (Krippendorff's, for ordered answers).
`shares.svg` and `shares.png` draw the shares.

Shape suffixes: U examples, C answers of the scale.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from jvgn.evaluation.metrics import wilson_interval
from jvgn.storage.files import replacing
from jvgn.views.figure_style import COLOURS, save
from jvgn.views.survey.survey_files import Key, RaterAnswers, read_answers, read_key
from parsers.errors import UserError

HATCHES = ("", "//", "..", "xx")
"""Models differ in hatching and in colour."""


def tally(paths: Sequence[Path], key_path: Path, output: Path | None) -> list[str]:
    """Return the result in lines of text, and write it into the folder `output`, if any, as tables and figures."""
    key = read_key(key_path)
    answers = read_all(paths, key)
    ratings = rating_table(answers, key)
    shares, agreement = share_table(ratings, key), agreement_table(ratings, key)
    if output is not None:
        for name, table in (("shares", shares), ("agreement", agreement)):
            with replacing(output / f"{name}.csv") as temporary:
                table.to_csv(temporary, index=False)
        for suffix in ("svg", "png"):
            save(share_bars(shares, key), output / f"shares.{suffix}")
    return in_words(shares, agreement, answers, key)


def read_all(paths: Sequence[Path], key: Key) -> list[RaterAnswers]:
    by_rater: dict[str, tuple[Path, RaterAnswers]] = {}
    for path in paths:
        found = read_answers(path, key)
        rater = " ".join(found.rater.split()).casefold()
        if rater in by_rater:
            raise UserError(
                f"{path}: {found.rater} has answered already, in {by_rater[rater][0]}; leave one of them out"
            )
        by_rater[rater] = path, found
    return [found for _, found in by_rater.values()]


def rating_table(answers: Sequence[RaterAnswers], key: Key) -> pd.DataFrame:
    """Return a row for each rating: rater, example, model, answer."""
    return pd.DataFrame(
        {"rater": one.rater, "example": number, "model": key.examples[number].model, "answer": answer}
        for one in answers
        for number, answer in one.answers.items()
    )


def share_table(ratings: pd.DataFrame, key: Key) -> pd.DataFrame:
    rows = []
    upper = len(key.scale) - 1
    for model in key.models:
        counts = Counter(ratings.loc[ratings["model"] == model, "answer"])
        given = {word: counts[place] for place, word in enumerate(key.scale, start=1)}
        given[upper_answers(key)] = counts[upper] + counts[upper + 1]
        for word, ratings_given in given.items():
            rows.append({"model": model, "answer": word, "ratings": ratings_given, "of": counts.total()})
    table = pd.DataFrame(rows)
    if silent := sorted(set(table.loc[table["of"] == 0, "model"])):
        raise UserError(f"no example of {silent[0]} was rated; give answers of raters who finished the survey")
    intervals = [wilson_interval(row.ratings, row.of) for row in table.itertuples()]
    low, high = zip(*intervals, strict=True)
    return table.assign(share=100 * table["ratings"] / table["of"], low=low, high=high).round(4)


def upper_answers(key: Key) -> str:
    return " or ".join(key.scale[-2:])


def agreement_table(ratings: pd.DataFrame, key: Key) -> pd.DataFrame:
    rows = []
    for model in ["all", *key.models]:
        own = ratings if model == "all" else ratings[ratings["model"] == model]
        count_UC = answer_counts(own, len(key.scale))
        rows.append(
            {
                "model": model,
                "raters": own["rater"].nunique(),
                "examples": int((count_UC.sum(axis=1) >= 2).sum()),
                "same_answer": same_answer(count_UC),
                "alpha": krippendorff_alpha(count_UC),
            }
        )
    return pd.DataFrame(rows).round(4)


def answer_counts(ratings: pd.DataFrame, answers: int) -> np.ndarray:
    """Return how many raters gave each answer to each example."""
    counts = pd.crosstab(ratings["example"], ratings["answer"])
    return counts.reindex(columns=range(1, answers + 1), fill_value=0).to_numpy()


def krippendorff_alpha(count_UC: np.ndarray) -> float | None:
    """Return Krippendorff's alpha for ordered answers: 1 is full agreement, 0 is agreement by chance.

    `count_UC` says how many raters gave each answer to each example; examples with fewer than two ratings are ignored.
    Alpha is None, undefined, if nothing was rated twice or all answers are the same.
    """
    count_UC = count_UC[count_UC.sum(axis=1) >= 2].astype(float)
    rated_U = count_UC.sum(axis=1)
    weight_UC = count_UC / (rated_U - 1)[:, None]
    # How often two raters of one example gave these two answers; the weight of an example is its number of ratings.
    pairs_CC = weight_UC.T @ count_UC - np.diag(weight_UC.sum(axis=0))
    total_C = pairs_CC.sum(axis=1)
    total = total_C.sum()
    distance_CC = ordinal_distance(total_C)
    by_chance = float((np.outer(total_C, total_C) * distance_CC).sum())
    if by_chance == 0:
        return None
    return 1 - (total - 1) * float((pairs_CC * distance_CC).sum()) / by_chance


def ordinal_distance(total_C: np.ndarray) -> np.ndarray:
    """Return the squared number of answers between two, where the two themselves count by half."""
    below_C = np.cumsum(total_C) - total_C / 2
    return (below_C[:, None] - below_C[None, :]) ** 2


def same_answer(count_UC: np.ndarray) -> float | None:
    """Return the percentage of pairs of raters of an example who gave the same answer."""
    rated_U = count_UC.sum(axis=1)
    pairs = float((rated_U * (rated_U - 1)).sum())
    return 100 * float((count_UC * (count_UC - 1)).sum()) / pairs if pairs else None


def in_words(shares: pd.DataFrame, agreement: pd.DataFrame, answers: Sequence[RaterAnswers], key: Key) -> list[str]:
    width = max(map(len, [*key.models, "model"]))
    lines = [key.question, ""]
    for model, rows in shares.groupby("model"):
        lines.append(f"{model}: {rows['of'].iloc[0]} ratings")
        for row in rows.itertuples():
            lines.append(f"  {row.answer:22} {row.share:5.1f}%  ({row.low:.1f} to {row.high:.1f})")
    lines += ["", "In brackets: Wilson's 95% interval, with ratings taken as independent.", ""]
    for row in agreement.itertuples():
        if row.examples:
            alpha = "not defined" if pd.isna(row.alpha) else f"{row.alpha:.2f}"
            lines.append(
                f"agreement, {row.model:{width}}  {row.same_answer:.1f}% of pairs of raters gave the same answer,"
                f" Krippendorff's alpha {alpha} ({row.examples} examples)"
            )
    if not agreement["examples"].any():
        lines.append("No example was rated by two raters, so their agreement is not known.")
    unfinished = [f"{one.rater} ({len(one.answers)} of {len(key.examples)})" for one in answers if short(one, key)]
    if unfinished:
        lines.append(f"Not all examples were rated by {', '.join(unfinished)}.")
    return lines


def short(answers: RaterAnswers, key: Key) -> bool:
    return len(answers.answers) < len(key.examples)


def share_bars(shares: pd.DataFrame, key: Key) -> Figure:
    """Draw a group of bars for each answer with a bar for each model, as in the paper, and their intervals."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    words = [*key.scale, upper_answers(key)]
    wide = 0.8 / len(key.models)
    for place, model in enumerate(key.models):
        rows = shares[shares["model"] == model].set_index("answer").loc[words]
        x = np.arange(len(words)) + wide * (place - (len(key.models) - 1) / 2)
        reach = [rows["share"] - rows["low"], rows["high"] - rows["share"]]
        colour, hatch = COLOURS[place % len(COLOURS)], HATCHES[place % len(HATCHES)]
        bars = axes.bar(x, rows["share"], wide, yerr=reach, capsize=3, color=colour, hatch=hatch, ec="white")
        name = model.replace("$", r"\$")  # no formula
        bars.set_label(f"{name} ({rows['of'].iloc[0]} ratings)")
        axes.bar_label(bars, fmt="%.0f", fontsize=8, padding=2)
    axes.axvline(len(key.scale) - 0.5, color="#999999", lw=0.8, ls=":")
    axes.set_xticks(range(len(words)), [word.replace(" or ", "\nor ") for word in words], fontsize=9)
    axes.set_ylabel("ratings (%), 95% interval", fontsize=9)
    axes.set_ylim(0, min(118, 1.2 * shares["high"].max()))
    axes.set_title(key.question, fontsize=10)
    axes.legend(fontsize=9)
    return figure
