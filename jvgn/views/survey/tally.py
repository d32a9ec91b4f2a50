"""What raters say of models, counted.

`shares.csv`: model, answer, ratings (how many gave it), of (all ratings of the model), share, low, high: percent and
Wilson's 95% interval, which takes ratings as independent of each other. The answer `mostly clear or clear`, the two
upper ones together, is the paper's headline.
`agreement.csv`: model (or `all`), raters, examples (rated by two or more), same_answer (percent of the pairs of
raters), alpha (Krippendorff's, for ordered answers).
`shares.svg` and `shares.png` draw the shares.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from jvgn.evaluation.intervals import wilson_interval
from jvgn.storage.files import replacing
from jvgn.views.drawing import COLOURS, save
from jvgn.views.survey.agreement import krippendorff_alpha, same_answer
from jvgn.views.survey.files import Answers, Key, read_answers, read_key
from parsers.errors import UserError

HATCHES = ("", "//", "..", "xx")
"""Models differ in more than colour."""


def tally(paths: Sequence[Path], key_path: Path, output: Path | None) -> list[str]:
    """What the answers say, in lines of words; the folder `output`, if any, holds it as tables and figures."""
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


def read_all(paths: Sequence[Path], key: Key) -> list[Answers]:
    by_rater: dict[str, tuple[Path, Answers]] = {}
    for path in paths:
        found = read_answers(path, key)
        rater = " ".join(found.rater.split()).casefold()
        if rater in by_rater:
            raise UserError(
                f"{path}: {found.rater} has answered already, in {by_rater[rater][0]}; leave one of them out"
            )
        by_rater[rater] = path, found
    return [found for _, found in by_rater.values()]


def rating_table(answers: Sequence[Answers], key: Key) -> pd.DataFrame:
    """One row a rating: rater, example, model, answer."""
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
        raise UserError(f"no example of {silent[0]} was rated; give the answers of raters who went on to the end")
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
    """How many raters gave an answer to an example."""
    counts = pd.crosstab(ratings["example"], ratings["answer"])
    return counts.reindex(columns=range(1, answers + 1), fill_value=0).to_numpy()


def in_words(shares: pd.DataFrame, agreement: pd.DataFrame, answers: Sequence[Answers], key: Key) -> list[str]:
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
        lines.append("No example was rated by two raters: how far they agree is not known.")
    unfinished = [f"{one.rater} ({len(one.answers)} of {len(key.examples)})" for one in answers if short(one, key)]
    if unfinished:
        lines.append(f"Not all examples were rated by {', '.join(unfinished)}.")
    return lines


def short(answers: Answers, key: Key) -> bool:
    return len(answers.answers) < len(key.examples)


def share_bars(shares: pd.DataFrame, key: Key) -> Figure:
    """A group of bars an answer, a bar a model, as in the paper's figure, with their intervals."""
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
