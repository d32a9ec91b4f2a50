import json

import numpy as np
import pandas as pd
import pytest

from jvgn.evaluation.metrics import calibration_error
from jvgn.regions.recall import measure_recall
from jvgn.storage.parquet import write_table
from jvgn.training.log import HISTORY
from jvgn.views.report.input_figures import draw_average_precision, draw_coverage, draw_recall
from jvgn.views.report.run_figures import (
    calibration_numbers,
    draw_calibration,
    draw_learning,
    draw_sizes,
    expected_error,
)

from .conftest import BEFORE, FOUND, SIZES


def numbers_of(output):
    assert output.figure.stat().st_size > 5_000
    return pd.read_csv(output.numbers)


def test_accuracy_by_size_is_a_plain_count(finished, output):
    draw_sizes(**finished.answers, output=output)
    numbers = numbers_of(output).set_index(["split", "counted", "number", "decoding"])
    for split, own in (("test", range(6)), ("val", range(6, 10))):
        for size in {SIZES[number] for number in own}:
            chosen = [number for number in own if SIZES[number] == size]
            for decoding, found in (("before", BEFORE), ("after", FOUND)):
                for counted, number in (("objects", size), ("relations", size - 1)):
                    row = numbers.loc[(split, counted, number, decoding)]
                    assert row["n"] == len(chosen)
                    assert row["share"] == pytest.approx(100 * np.mean([found[one] for one in chosen]), abs=1e-3)
                    assert row["low"] <= row["share"] <= row["high"]
    assert numbers.xs("objects", level="counted").xs("after", level="decoding")["n"].sum() == 10


@pytest.mark.parametrize("seed", range(3))
def test_the_bins_of_the_calibration_add_up_to_the_error_that_metrics_report(seed):
    chance = np.random.default_rng(seed)
    marginal = np.concatenate([chance.uniform(size=400), [0.0, 1.0]])
    correct = chance.uniform(size=402) < marginal
    table = pd.DataFrame({"split": "test", "marginal": marginal, "correct": correct})
    numbers = calibration_numbers(table)
    assert numbers["n"].sum() == 402
    assert expected_error(numbers) == pytest.approx(calibration_error(marginal, correct), abs=1e-2)


def test_the_same_files_draw_the_same_bytes(finished, output):
    draw_calibration(**finished.answers, output=output)
    first = output.figure.read_bytes(), output.numbers.read_bytes()
    draw_calibration(**finished.answers, output=output)
    assert (output.figure.read_bytes(), output.numbers.read_bytes()) == first
    assert numbers_of(output)["n"].sum() == 10


def test_recall_falls_with_the_overlap_and_is_the_oracles_where_accuracy_is_measured(finished, output):
    regions = finished.folder / "regions.h5"
    draw_recall(finished.folder, regions, output)
    numbers = numbers_of(output).set_index(["split", "iou"])["share"]
    measure_recall(finished.folder, regions, 0.5, finished.folder / "recall.json")
    measured = json.loads((finished.folder / "recall.json").read_text())["splits"]
    assert {split: values["oracle_recall"] for split, values in measured.items()} == numbers.xs(
        0.5, level="iou"
    ).to_dict()
    # Images 7 and 8 have regions of IoU 0.8 and 0.6; five of test's six sentences are about image 7.
    assert numbers["test", 0.7] == pytest.approx(100 * 5 / 6, abs=1e-3) and numbers["test", 0.85] == 0
    assert numbers["val", 0.55] == 100 and numbers["val", 0.65] == 0


def test_the_epoch_kept_is_the_best_on_val_and_the_first_of_equals(tmp_path, output):
    rows = {"epoch": [1, 2, 3, 4], "loss": [3.0, 2.0, 1.0, 0.5], "val_accuracy": [50.0, 80.0, 80.0, 70.0]}
    rows |= {name: [1.0] * 4 for name in HISTORY.names if name not in rows}
    write_table(tmp_path / "history.parquet", rows, HISTORY)
    draw_learning(tmp_path / "history.parquet", output)
    assert numbers_of(output)["kept"].tolist() == [False, True, False, False]


def test_coverage_counts_graphs_by_size_and_what_they_lack(finished, output):
    counts = {"expressions": 10, "content_words": 40, "words_left_out": 3, "fallbacks": 1, "referent_is_object": 2}
    (finished.folder / "coverage.json").write_text(json.dumps(counts))
    files = {name: finished.folder / f"{name}.parquet" for name in ("expressions", "nodes", "edges")}
    draw_coverage(**files, coverage=finished.folder / "coverage.json", output=output)
    numbers = numbers_of(output).set_index(["measure", "number"])
    assert numbers.loc["objects", "n"].to_dict() == {size: SIZES.count(size) for size in (1, 2, 3)}
    assert numbers.loc["relations", "n"].to_dict() == {size - 1: SIZES.count(size) for size in (1, 2, 3)}
    assert numbers.loc[("content words left out of the graph", 40), "share"] == 7.5


PRECISION = {"ap": 50.0, "ap50": 80.0, "ap75": 40.0, "categories": {"a": 10.0, "b": None, "c": 90.0}}
PRECISION |= {"images": 3, "objects": 9}


def test_categories_are_in_the_order_of_their_precision(tmp_path, output):
    (tmp_path / "ap.json").write_text(json.dumps(PRECISION))
    draw_average_precision(tmp_path / "ap.json", output)
    assert numbers_of(output)["category"].tolist()[3:] == ["c", "a", "b"]
