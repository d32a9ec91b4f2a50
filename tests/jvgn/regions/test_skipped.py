"""Skipped images: later stages count their expressions as not found."""

import json
from dataclasses import asdict, replace

import pandas as pd
import pyarrow as pa
import pytest
import torch

from jvgn.evaluation.predict import predict
from jvgn.evaluation.predictions import PREDICTIONS
from jvgn.evaluation.score import RunName, Scored, score
from jvgn.regions.hdf5_store import RegionStore, RegionWriter, Skipped
from jvgn.storage.parquet import write_table
from jvgn.training.run import train
from parsers.errors import UserError

CPU = torch.device("cpu")


def copy_without(source, output, skipped_images, listed=True):
    store = RegionStore(source)
    with RegionWriter(output, store.feature_size, "float32", {"setting": "gt"}) as writer:
        for image_id in store.image_ids.tolist():
            if image_id not in skipped_images:
                writer.append(image_id, store.read(image_id))
            elif listed:
                writer.skip(Skipped(image_id, -1, "lost"))
    return output


@pytest.fixture
def skipped_images(small_world):
    """One image of train and two of test."""
    expressions = pd.read_parquet(small_world.dataset / "expressions.parquet")
    images = expressions.drop_duplicates("image_id").groupby("split")["image_id"]
    return {*images.get_group("train").head(1), *images.get_group("test").head(2)}, expressions


def test_expressions_of_skipped_images_count_as_not_found(small_world, run_settings, skipped_images, tmp_path, caplog):
    caplog.set_level("INFO")
    torch.set_num_threads(1)
    images, expressions = skipped_images
    inputs = replace(small_world, regions=copy_without(small_world.regions, tmp_path / "regions.h5", images))
    settings, model = run_settings(epochs=1), tmp_path / "model.safetensors"
    settings.write(tmp_path / "settings.yaml")
    train(inputs, settings, model, tmp_path / "history.parquet", CPU)
    in_train = expressions[expressions["split"] == "train"]
    assert f"{in_train['image_id'].isin(images).sum()} of {len(in_train)} training expressions skipped" in caplog.text
    predict(inputs, model, tmp_path / "predictions.parquet", 0.5, CPU)
    (tmp_path / "proof.json").write_text('{"verdict": "unproven"}')
    names = {name: tmp_path / f"{name}.json" for name in ("proof",)} | {"settings": tmp_path / "settings.yaml"}
    given = {name: path for name, path in asdict(inputs).items() if name != "rules"}
    files = Scored(**given, model=model, predictions=tmp_path / "predictions.parquet", **names)
    score(files, RunName("shapes", "gt", "default"), 0.5, tmp_path / "metrics.json")
    splits = json.loads((tmp_path / "metrics.json").read_text())["splits"]
    tested = expressions[expressions["split"] == "test"]
    unseen = int(tested["image_id"].isin(images).sum())
    assert splits["test"]["skipped"] == unseen > 0
    assert splits["test"]["n"] == len(tested)
    assert splits["test"]["oracle_recall"] == pytest.approx(100 * (1 - unseen / len(tested)), abs=1e-3)
    predictions = pd.read_parquet(tmp_path / "predictions.parquet")
    right = predictions[predictions["is_referent"]].set_index("expression_id")["correct"]
    right = right[right.index.isin(tested["expression_id"])].sum()
    assert splits["test"]["accuracy"] == pytest.approx(100 * right / len(tested), abs=1e-3)
    assert "skipped" not in splits["val"]
    lost = predictions["expression_id"].iloc[0]
    rest = predictions[predictions["expression_id"] != lost]
    table = pa.Table.from_pandas(rest, PREDICTIONS, preserve_index=False)
    write_table(tmp_path / "predictions.parquet", table, PREDICTIONS)
    with pytest.raises(UserError, match=rf"predictions\.parquet: has no referent of expression {lost}, whose image"):
        score(files, RunName("shapes", "gt", "default"), 0.5, tmp_path / "metrics.json")


def test_missing_images_that_are_not_listed_as_skipped_are_an_error(
    small_world, run_settings, skipped_images, tmp_path
):
    regions = copy_without(small_world.regions, tmp_path / "regions.h5", skipped_images[0], listed=False)
    with pytest.raises(UserError, match="has no regions; extract them again"):
        replace(small_world, regions=regions).examples(run_settings())
