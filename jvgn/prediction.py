"""Grounds every node of every expression with a trained model."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from tqdm import tqdm

from jvgn.batches import Batch, Examples
from jvgn.checkpoint import load_model
from jvgn.datasets import tables
from jvgn.inputs import Inputs
from jvgn.model import JVGN, NodeBeliefs
from jvgn.prediction_table import PREDICTIONS
from parsers.files import UserError
from parsers.table import read_table, write_table

IMAGES_PER_BATCH = 64
Decoding = Literal["marginal", "unary"]


def predict(inputs: Inputs, model_path: Path, predictions: Path, right_above: float, device: torch.device) -> None:
    """`predictions` grounds every expression that is not in the training split."""
    torch.use_deterministic_algorithms(True)
    trained = load_model(model_path, device)
    examples = inputs.examples(trained.settings, right_above)
    if examples.store.feature_size != trained.feature_size:
        raise UserError(
            f"{inputs.regions}: features of size {examples.store.feature_size}, but {model_path} was trained on "
            f"{trained.feature_size}; extract regions with the run's detector ({trained.settings.detector})"
        )
    frame = pd.concat(grounded(trained.model, examples, GoldObjects(inputs.dataset), "marginal", device))
    write_table(predictions, pa.Table.from_pandas(frame, schema=PREDICTIONS, preserve_index=False), PREDICTIONS)


class GoldObjects:
    """The object that a word of an expression stands for, where the dataset knows."""

    def __init__(self, dataset: Path) -> None:
        mentions = read_table(dataset / "mentions.parquet", tables.MENTIONS).to_pandas()
        self.by_word = mentions.set_index(["expression_id", "head_token"])["object_id"]

    def find(self, expression_id_K: np.ndarray, head_token_K: np.ndarray) -> np.ndarray:
        """The object ids; −1 where there is none."""
        words = pd.MultiIndex.from_arrays([expression_id_K, head_token_K])
        return self.by_word.reindex(words, fill_value=-1).to_numpy()


@torch.no_grad()
def grounded(
    model: JVGN, examples: Examples, gold: GoldObjects, decoding: Decoding, device: torch.device
) -> Iterator[pd.DataFrame]:
    """The predictions of all splits but train, batch by batch."""
    for split in sorted(set(examples.expressions["split"]) - {"train"}):
        for batch in tqdm(examples.batches(split, IMAGES_PER_BATCH), desc=split, unit=" batches", disable=None):
            batch = batch.to(device)
            beliefs = model(batch)
            belief_KN = beliefs.marginal_KN if decoding == "marginal" else beliefs.unary_KN
            yield prediction_rows(examples, batch, beliefs, belief_KN.argmax(dim=1), gold)


def prediction_rows(
    examples: Examples, batch: Batch, beliefs: NodeBeliefs, region_K: torch.Tensor, gold: GoldObjects
) -> pd.DataFrame:
    expression_K = batch.expression_K.cpu().numpy()
    row_K = batch.row_S.cpu().numpy()[expression_K]
    node_K = np.arange(len(row_K)) - np.searchsorted(expression_K, expression_K)
    is_referent_K = np.isin(np.arange(len(row_K)), batch.referent_S.cpu().numpy())
    id_K = examples.expressions["expression_id"].to_numpy()[row_K]
    head_token_K = examples.graphs.head_token_K[examples.graphs.node_start_S1[row_K] + node_K]
    gold_K = np.where(is_referent_K, examples.object_S[row_K], gold.find(id_K, head_token_K))
    box_K4 = batch.box_IN4[batch.image_K, region_K].cpu().numpy()
    overlap_K, right_K = examples.compare(gold_K, batch.object_IN[batch.image_K, region_K].cpu().numpy(), box_K4)
    known_K = gold_K >= 0
    return pd.DataFrame(
        {
            "expression_id": id_K,
            "node": node_K,
            "is_referent": is_referent_K,
            "region": region_K.cpu().numpy(),
            **dict(zip(("x1", "y1", "x2", "y2"), box_K4.T, strict=True)),
            "unary": probability(beliefs.unary_KN, region_K),
            "marginal": probability(beliefs.marginal_KN, region_K),
            "iou": pd.Series(overlap_K).where(known_K),
            "correct": pd.Series(right_K, dtype="boolean").where(known_K),
        }
    )


def probability(log_probability_KN: torch.Tensor, region_K: torch.Tensor) -> np.ndarray:
    return log_probability_KN.gather(1, region_K[:, None]).squeeze(1).exp().cpu().numpy()
