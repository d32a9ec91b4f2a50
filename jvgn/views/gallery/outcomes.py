"""Choose the expressions of the gallery: the outcome of each, and some of every outcome."""

import numpy as np
import pandas as pd

SHARES = {
    "corrected": 60,
    "broken": 30,
    "ambiguous": 25,
    "missing region": 20,
    "parse": 20,
    "wrong referent": 20,
    "right": 25,
}
"""How many expressions of each outcome are shown. If an outcome has fewer, others fill its places."""

SURE = 0.6
"""A referent found with a lower probability is ambiguous."""


def referent_table(predictions: pd.DataFrame, covered: pd.Series) -> pd.DataFrame:
    """Return a row for each expression: whether its referent is found before and after message passing.

    `sure` is the probability of the chosen region, `gain` how much message passing added to its logarithm. `covered`
    says, by expression_id, whether some region is correct.
    """
    own = predictions[predictions["is_referent"]].reset_index(drop=True)
    with np.errstate(divide="ignore"):  # a probability of float32 may be 0
        gain = np.log(own["marginal"].astype(float)) - np.log(own["unary"].astype(float))
    return pd.DataFrame(
        {
            "expression_id": own["expression_id"],
            "before": own["unary_correct"].astype(bool),
            "after": own["correct"].astype(bool),
            "covered": covered.reindex(own["expression_id"]).to_numpy(bool),
            "sure": own["marginal"],
            "gain": gain,
        }
    )


def misread(nodes: pd.DataFrame, mentions: pd.DataFrame) -> set[int]:
    """Return the expressions whose graph lacks a gold mention or has another referent than the gold one."""
    heads = nodes[["expression_id", "head_token", "is_referent"]]
    found = mentions.merge(heads, on=["expression_id", "head_token"], how="left", suffixes=("", "_node"))
    wrong = found["is_referent_node"].isna() | (found["is_referent_node"] != found["is_referent"])
    return set(found.loc[wrong, "expression_id"])


def with_outcomes(table: pd.DataFrame, misread: set[int]) -> pd.DataFrame:
    """Add the column `outcome`: the first case that holds."""
    cases = {
        "corrected": table["after"] & ~table["before"],
        "ambiguous": table["after"] & (table["sure"] < SURE),
        "right": table["after"],
        "missing region": ~table["covered"],
        "parse": table["expression_id"].isin(misread),
        "broken": table["before"],
    }
    outcome = np.select(list(cases.values()), list(cases), default="wrong referent")
    return table.assign(outcome=outcome)


def choose(table: pd.DataFrame) -> pd.DataFrame:
    """Return some expressions of every outcome: one for each image first, and those with the largest gain first."""
    ordered = table.sort_values(["gain", "expression_id"], ascending=[False, True], kind="stable")
    turn = ordered.groupby(["outcome", "image_id"]).cumcount()
    ordered = ordered.assign(turn=turn).sort_values("turn", kind="stable")
    chosen = pd.concat([ordered[ordered["outcome"] == outcome].head(share) for outcome, share in SHARES.items()])
    rest = ordered.drop(chosen.index)
    in_turn = rest.assign(turn=rest.groupby("outcome").cumcount()).sort_values("turn", kind="stable")
    spare = in_turn.head(sum(SHARES.values()) - len(chosen))
    place = {outcome: rank for rank, outcome in enumerate(SHARES)}
    return pd.concat([chosen, spare]).sort_values("outcome", key=lambda outcomes: outcomes.map(place), kind="stable")
