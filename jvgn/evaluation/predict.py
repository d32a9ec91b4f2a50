"""Ground every node of every expression with a trained model. Shape suffixes: K nodes, N regions, S expressions."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor
from tqdm import tqdm

from jvgn.batches import Batch
from jvgn.datasets import tables
from jvgn.evaluation.predictions import OF_JOINT_MODEL, OF_NODES, PREDICTIONS, WAYS, WHOLE_FILE
from jvgn.model import JVGN, Decoding, GroundingModel, NodeBeliefs, ReferentBeliefs
from jvgn.storage.parquet import writing
from jvgn.training.checkpoint import load_model
from jvgn.training.examples import Examples, Inputs
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError

IMAGES_PER_BATCH = 64
Beliefs = TypeVar("Beliefs", NodeBeliefs, ReferentBeliefs)


def predict(inputs: Inputs, model_path: Path, predictions: Path, iou_threshold: float, device: torch.device) -> None:
    """Write `predictions`, which grounds every expression that is not in the train split."""
    torch.set_deterministic_debug_mode("error")  # use_deterministic_algorithms also imports the compiler: 3 s
    trained = load_model(model_path, device)
    examples = inputs.examples(trained.settings, iou_threshold)
    trained.check(examples.store.feature_size, Vocabulary.read(inputs.words).words)
    if not isinstance(trained.model, JVGN):
        predict_by_rival(trained.model, model_path, examples, predictions, device)
        return
    with writing(predictions, WHOLE_FILE) as write:
        model = partial(trained.model, distinct=trained.settings.decoding == "distinct")
        for batch, beliefs in believed(model, examples, device):
            check_beliefs(model_path, examples, batch, beliefs)
            rows = prediction_rows(examples, batch, beliefs, trained.settings.decoding)
            write(with_beliefs(rows, batch, beliefs))


def predict_by_rival(
    model: GroundingModel, path: Path, examples: Examples, predictions: Path, device: torch.device
) -> None:
    """Write `predictions` with a row for each node that the rival grounds; columns that it lacks are empty."""
    with writing(predictions, WHOLE_FILE) as write:
        for batch, found in believed(model, examples, device):
            beliefs, is_grounded_K = node_beliefs(batch, found)
            check_beliefs(path, examples, batch, beliefs)
            rows = with_beliefs(prediction_rows(examples, batch, beliefs, "marginal"), batch, beliefs)
            lacked = [*OF_JOINT_MODEL, *(OF_NODES if found.unary_KN is None else ())]
            for name in lacked:
                place = rows.schema.get_field_index(name)
                rows = rows.set_column(place, rows.field(place), pa.nulls(len(rows), rows.field(place).type))
            write(rows.filter(pa.array(is_grounded_K.cpu().numpy())))


def node_beliefs(batch: Batch, found: ReferentBeliefs) -> tuple[NodeBeliefs, Tensor]:
    """Return a rival's beliefs by node, and (K,): which nodes it grounds.

    One context object stands for the node that an edge joins to the referent, the first if there are several.
    """
    is_grounded_K = torch.zeros_like(batch.expression_K, dtype=torch.bool).index_fill(0, batch.referent_S, True)
    if found.node_KN is not None:
        marginal_KN, is_grounded_K = found.node_KN, torch.ones_like(is_grounded_K)
    else:
        marginal_KN = found.referent_SN[batch.expression_K]
        if found.context_SN is not None:
            context_K = first_neighbours(batch)
            marginal_KN = marginal_KN.index_copy(0, context_K, found.context_SN[batch.expression_K[context_K]])
            is_grounded_K = is_grounded_K.index_fill(0, context_K, True)
    unary_KN = marginal_KN if found.unary_KN is None else found.unary_KN
    return NodeBeliefs(unary_KN, marginal_KN, marginal_KN.argmax(dim=1)), is_grounded_K


def first_neighbours(batch: Batch) -> Tensor:
    """Return the first node that an edge joins to the referent, for each expression that has one."""
    referent_E = batch.referent_S[batch.expression_K[batch.edges_E2[:, 0]]]
    other_E = torch.where(batch.edges_E2[:, 0] == referent_E, batch.edges_E2[:, 1], batch.edges_E2[:, 0])
    joined = other_E[(batch.edges_E2 == referent_E[:, None]).any(dim=1)].cpu().numpy()
    _, first = np.unique(batch.expression_K.cpu().numpy()[joined], return_index=True)
    return torch.from_numpy(joined[first]).to(referent_E.device)


def check_beliefs(model_path: Path, examples: Examples, batch: Batch, beliefs: NodeBeliefs) -> None:
    """Stop at the first expression whose beliefs are NaN: its weights are no longer numbers, or too large."""
    is_nan_K = (beliefs.unary_KN.isnan() | beliefs.marginal_KN.isnan()).any(dim=1).cpu().numpy()
    if is_nan_K.any():
        row = batch.row_S.cpu().numpy()[batch.expression_K.cpu().numpy()[is_nan_K.argmax()]]
        expression_id = examples.expressions["expression_id"].to_numpy()[row]
        raise UserError(
            f"{model_path}: gives NaN beliefs for expression {expression_id}; train again with a lower learning rate"
        )


@torch.no_grad()
def believed(
    model: Callable[[Batch], Beliefs], examples: Examples, device: torch.device
) -> Iterator[tuple[Batch, Beliefs]]:
    """Yield the beliefs of all splits but train, batch by batch."""
    splits = sorted(set(examples.expressions["split"]) - {"train"})
    if not splits:
        raise UserError(f"{examples.dataset}: has no split but train, so nothing to evaluate; check its splits")
    for split in splits:
        for batch in tqdm(examples.batches(split, IMAGES_PER_BATCH), desc=split, unit=" batches", disable=None):
            on_device = batch.to(device)
            yield on_device, model(on_device)


def prediction_rows(examples: Examples, batch: Batch, beliefs: NodeBeliefs, decoding: Decoding) -> pd.DataFrame:
    """Return the columns `PREDICTIONS` of a batch."""
    expression_K = batch.expression_K.cpu().numpy()
    row_K = batch.row_S.cpu().numpy()[expression_K]
    node_K = np.arange(len(row_K)) - np.searchsorted(expression_K, expression_K)
    is_referent_K = np.isin(np.arange(len(row_K)), batch.referent_S.cpu().numpy())
    id_K = examples.expressions["expression_id"].to_numpy()[row_K]
    head_token_K = examples.graphs.head_token_K[examples.graphs.node_start_S1[row_K] + node_K]
    gold_K = np.where(is_referent_K, examples.object_S[row_K], examples.gold.find(id_K, head_token_K))
    ways = {way: JudgedRegions(examples, batch, beliefs.regions(way), gold_K) for way in WAYS}
    region_K = beliefs.regions(decoding)
    chosen = ways[decoding] if decoding in ways else JudgedRegions(examples, batch, region_K, gold_K)
    return pd.DataFrame(
        {
            "expression_id": id_K,
            "node": node_K,
            "is_referent": is_referent_K,
            "region": chosen.region,
            **dict(zip(tables.SIDES, chosen.box_K4.T, strict=True)),
            "unary": probability(beliefs.unary_KN, region_K),
            "marginal": probability(beliefs.marginal_KN, region_K),
            "entropy": beliefs.entropy().cpu().numpy(),
            "not_found": np.nan if beliefs.not_found_K is None else beliefs.not_found_K.cpu().numpy(),
            "iou": chosen.overlap,
            "correct": chosen.correct,
            **{f"{way}_region": judged.region for way, judged in ways.items()},
            **{f"{way}_correct": judged.correct for way, judged in ways.items()},
        }
    )


class JudgedRegions:
    """The chosen regions compared with the gold objects; a gold of −1 is unknown."""

    def __init__(self, examples: Examples, batch: Batch, region_K: Tensor, gold_K: np.ndarray) -> None:
        self.region = region_K.cpu().numpy()
        self.box_K4 = batch.box_IN4[batch.image_K, region_K].cpu().numpy()
        object_K = batch.object_IN[batch.image_K, region_K].cpu().numpy()
        overlap_K, is_correct_K = examples.compare(gold_K, object_K, self.box_K4)
        self.overlap = pd.Series(overlap_K).where(gold_K >= 0)
        self.correct = pd.Series(is_correct_K, dtype="boolean").where(gold_K >= 0)


def probability(log_probability_KN: Tensor, region_K: Tensor) -> np.ndarray:
    return log_probability_KN.gather(1, region_K[:, None]).squeeze(1).exp().cpu().numpy()


def with_beliefs(rows: pd.DataFrame, batch: Batch, beliefs: NodeBeliefs) -> pa.Table:
    """Return the rows with the probabilities of every region; images have different numbers of regions."""
    table = pa.Table.from_pandas(rows, schema=PREDICTIONS, preserve_index=False)
    present_KN = batch.present_IN[batch.image_K]
    start_K1 = np.concatenate([[0], present_KN.sum(dim=1).cpu().numpy().cumsum()]).astype(np.int32)
    for name, log_KN in (("unary", beliefs.unary_KN), ("marginal", beliefs.marginal_KN)):
        lists = pa.ListArray.from_arrays(pa.array(start_K1), pa.array(log_KN[present_KN].exp().cpu().numpy()))
        table = table.append_column(f"{name}_of_regions", lists)
    return table
