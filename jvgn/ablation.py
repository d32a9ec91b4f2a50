"""The paper's ablation: marginalisation in training and in inference, each on and off.

`ablation.csv`: marginalise_training, marginalise_inference, split, accuracy, context_accuracy (percent).
"""

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from jvgn.checkpoint import load_model
from jvgn.evaluation import Answers, percent
from jvgn.inputs import Inputs
from jvgn.prediction import Decoding, GoldObjects, grounded
from parsers.files import UserError, replacing


def ablate(inputs: Inputs, models: dict[bool, Path], table: Path, right_above: float, device: torch.device) -> None:
    """`table` has the four rows for each split; `models` are those trained with and without marginalisation."""
    torch.use_deterministic_algorithms(True)
    gold = GoldObjects(inputs.dataset)
    answers = Answers(inputs.dataset, inputs.nodes, inputs.edges)
    rows: list[dict[str, Any]] = []
    for in_training, in_inference in product((False, True), repeat=2):
        trained = load_model(models[in_training], device)
        if trained.settings.training.marginalise != in_training:
            raise UserError(f"{models[in_training]}: expected a model trained with marginalise: {in_training}")
        examples = inputs.examples(trained.settings, right_above)
        decoding: Decoding = "marginal" if in_inference else "unary"
        predictions = pd.concat(grounded(trained.model, examples, gold, decoding, device))
        for split, expressions in answers.table(predictions).groupby("split"):
            context = answers.context(predictions, expressions)
            rows.append(
                {
                    "marginalise_training": in_training,
                    "marginalise_inference": in_inference,
                    "split": split,
                    "accuracy": percent(expressions["correct"]),
                    "context_accuracy": percent(context) if len(context) else None,
                }
            )
    with replacing(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False)
