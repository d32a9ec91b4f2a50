"""Predictions with the words that they are about."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from jvgn.datasets.tables import MISMATCH, unique
from jvgn.evaluation.predictions import read_predictions
from jvgn.graphs.tables import read_nodes
from parsers.errors import BrokenFile


def read_phrases(path: Path, evaluated: np.ndarray, nodes: Path, tokens: Mapping[int, Sequence[str]]) -> pd.DataFrame:
    """The predictions with a column `phrase`: the words of each node, of the `tokens` that each expression has."""
    predictions = read_predictions(path, evaluated).to_pandas()
    node_table = unique(nodes, read_nodes(nodes), "expression_id", "node").to_pandas()
    found = predictions.merge(node_table[["expression_id", "node", "tokens"]], on=["expression_id", "node"])
    if len(found) < len(predictions):
        raise BrokenFile(path, f"it grounds nodes that {nodes} lacks")
    phrases = []
    for row in found.itertuples():
        words = tokens[row.expression_id]
        if any(not 0 <= token < len(words) for token in row.tokens):
            raise BrokenFile(nodes, "it points outside a sentence", MISMATCH)
        phrases.append(" ".join(words[token] for token in row.tokens))
    return found.assign(phrase=phrases)
