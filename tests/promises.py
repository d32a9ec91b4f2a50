"""Check the numbers of a finished demo: `python tests/promises.py results`. Exits with 1 if one is too low."""

import json
import sys
from pathlib import Path

import pandas as pd

LEAST = {
    ("gt", "test", "accuracy"): 95,
    ("gt", "test", "context_accuracy"): 85,
    ("gt", "adv", "accuracy"): 85,
    ("det", "test", "accuracy"): 90,
    ("det", "test", "context_accuracy"): 85,
    ("det", "test", "oracle_recall"): 97,
}
MOST_REGIONS = 15
LEAST_GAIN = 15
"""Points by which marginalisation in training and inference must beat neither, on gt, test."""


def broken_promises(results: Path) -> list[str]:
    metrics = {
        setting: json.loads((results / f"shapes_{setting}/metrics.json").read_text()) for setting in ("gt", "det")
    }
    broken = [
        f"{setting} {split} {name}: expected at least {least}, found {found:.2f}"
        for (setting, split, name), least in LEAST.items()
        if (found := metrics[setting]["splits"][split][name]) < least
    ]
    regions = metrics["det"]["splits"]["test"]["mean_regions"]
    if regions > MOST_REGIONS:
        broken.append(f"expected at most {MOST_REGIONS} regions an image, found {regions:.2f}")
    table = pd.read_csv(results / "shapes_gt/ablation.csv").set_index(
        ["marginalise_training", "marginalise_inference", "split"]
    )["accuracy"]
    gain = table[True, True, "test"] - table[False, False, "test"]
    if gain < LEAST_GAIN:
        broken.append(f"expected marginalisation to gain {LEAST_GAIN} points, found {gain:.2f}")
    return broken


if __name__ == "__main__":
    found = broken_promises(Path(sys.argv[1]))
    print("\n".join(found) or "every promise of the demo holds")
    sys.exit(bool(found))
