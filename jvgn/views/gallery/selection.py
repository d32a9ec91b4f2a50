"""Which expressions teach most: what each one shows, and a choice with some of everything.

Shape suffixes: K nodes, N regions, S expressions.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from jvgn.batches import Batch
from jvgn.model import Decoding, NodeBeliefs

SHARES = {
    "corrected": 60,
    "broken": 30,
    "ambiguous": 25,
    "missing region": 20,
    "parse": 20,
    "wrong referent": 20,
    "right": 25,
}
"""How many expressions of each outcome are shown. Where one has fewer, others make up for it."""

SURE = 0.6
"""A referent found with less than this probability was found by a small margin."""


def referents(batch: Batch, beliefs: NodeBeliefs, decoding: Decoding) -> pd.DataFrame:
    """One row an expression: whether its referent is found before and after message passing, and how surely."""
    unary_SN, marginal_SN = beliefs.unary_KN[batch.referent_S], beliefs.marginal_KN[batch.referent_S]
    right_SN = batch.right_SN
    chosen_S = beliefs.regions(decoding)[batch.referent_S]
    sure_S = marginal_SN.gather(1, chosen_S[:, None]).squeeze(1)
    first_S = unary_SN.argmax(dim=1)
    return pd.DataFrame(
        {
            "row": batch.row_S.cpu().numpy(),
            "before": right_SN.gather(1, first_S[:, None]).squeeze(1).cpu().numpy(),
            "after": right_SN.gather(1, chosen_S[:, None]).squeeze(1).cpu().numpy(),
            "covered": right_SN.any(dim=1).cpu().numpy(),
            "sure": sure_S.exp().cpu().numpy(),
            "gain": (sure_S - unary_SN.gather(1, chosen_S[:, None]).squeeze(1)).cpu().numpy(),
        }
    )


def misread(nodes: pd.DataFrame, mentions: pd.DataFrame) -> set[int]:
    """The expressions of which the parser lost an object, or took another for the referent, where gold is known."""
    heads = nodes[["expression_id", "head_token", "is_referent"]]
    found = mentions.merge(heads, on=["expression_id", "head_token"], how="left", suffixes=("", "_node"))
    wrong = found["is_referent_node"].isna() | (found["is_referent_node"] != found["is_referent"])
    return set(found.loc[wrong, "expression_id"])


def with_outcomes(table: pd.DataFrame, misread: set[int]) -> pd.DataFrame:
    """The table with an `outcome`: what an expression shows, by the first that holds."""
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


def choose(table: pd.DataFrame, shares: Mapping[str, int] = SHARES) -> pd.DataFrame:
    """Some expressions of every outcome; of each, one an image first, and those that message passing moved most."""
    ordered = table.sort_values(["gain", "expression_id"], ascending=[False, True], kind="stable")
    turn = ordered.groupby(["outcome", "image_id"]).cumcount()
    ordered = ordered.assign(turn=turn).sort_values("turn", kind="stable")
    chosen = pd.concat([ordered[ordered["outcome"] == outcome].head(share) for outcome, share in shares.items()])
    rest = ordered.drop(chosen.index)
    in_turn = rest.assign(turn=rest.groupby("outcome").cumcount()).sort_values("turn", kind="stable")
    spare = in_turn.head(sum(shares.values()) - len(chosen))
    place = {outcome: rank for rank, outcome in enumerate(shares)}
    return pd.concat([chosen, spare]).sort_values("outcome", key=lambda outcomes: outcomes.map(place), kind="stable")
