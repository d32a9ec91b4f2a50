"""The beliefs in predictions against those of the model itself."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from jvgn.evaluation.predict import believed, predict
from jvgn.evaluation.predictions import WAYS, WHOLE_FILE, read_beliefs, read_predictions
from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.parquet import write_table
from jvgn.training.checkpoint import load_model, new_model, save_model
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError

CPU = torch.device("cpu")


def untrained(inputs, settings, path, vectors):
    feature_size = RegionStore(inputs.regions).feature_size
    torch.manual_seed(0)
    model = new_model(settings, vectors, feature_size)
    save_model(path, model, settings, feature_size, Vocabulary.read(inputs.words).words)
    return path


@pytest.fixture(scope="module")
def predicted(small_world, run_settings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("predicted")
    model = untrained(small_world, run_settings(), folder / "model.safetensors", np.load(small_world.vectors))
    predict(small_world, model, folder / "predictions.parquet", 0.5, CPU)
    return folder


def test_beliefs_are_the_models_for_the_regions_of_the_image_and_no_others(small_world, predicted):
    trained = load_model(predicted / "model.safetensors", CPU)
    examples = small_world.examples(trained.settings)
    rows = pd.read_parquet(predicted / "predictions.parquet")
    first = 0
    for batch, beliefs in believed(trained.model, examples, CPU):
        for node, image in enumerate(batch.image_K.tolist()):
            count = int(batch.present_IN[image].sum())
            for name, log_KN in (("unary", beliefs.unary_KN), ("marginal", beliefs.marginal_KN)):
                found = rows[f"{name}_of_regions"][first + node]
                assert len(found) == count
                np.testing.assert_allclose(found, log_KN[node, :count].exp(), rtol=1e-6)
        first += len(batch.image_K)
    assert first == len(rows)


def test_the_chosen_regions_are_the_most_probable_ones(predicted):
    rows = pd.read_parquet(predicted / "predictions.parquet")
    for way in ("unary", "marginal"):
        assert (rows[f"{way}_of_regions"].map(np.argmax) == rows[f"{way}_region"]).all()
    chosen = [beliefs[region] for beliefs, region in zip(rows["unary_of_regions"], rows["region"], strict=True)]
    np.testing.assert_allclose(chosen, rows["unary"], rtol=1e-6)
    assert {f"{way}_correct" for way in WAYS} <= set(rows)


def test_a_network_cannot_say_not_found_and_older_files_lack_the_column(predicted, tmp_path):
    path = predicted / "predictions.parquet"
    rows = pd.read_parquet(path)
    assert rows["not_found"].isna().all()
    older = pa.schema([field for field in WHOLE_FILE if field.name != "not_found"])
    write_table(tmp_path / "older.parquet", pq.read_table(path).select(older.names), older)
    ids = rows["expression_id"].unique()
    assert read_predictions(tmp_path / "older.parquet", ids) == read_predictions(path, ids)


def test_beliefs_of_some_expressions_are_read_without_the_others(predicted):
    rows = pd.read_parquet(predicted / "predictions.parquet")
    wanted = rows["expression_id"].unique()[[3, 50]]
    found = read_beliefs(predicted / "predictions.parquet", wanted)
    expected = rows[rows["expression_id"].isin(wanted)]
    assert found["node"].tolist() == expected["node"].tolist() and set(found["expression_id"]) == set(wanted)
    for one, other in zip(found["unary_of_regions"], expected["unary_of_regions"], strict=True):
        assert one.tolist() == other.tolist()


def test_a_model_whose_beliefs_are_not_numbers_is_named(small_world, run_settings, tmp_path):
    vectors = np.load(small_world.vectors) * np.nan
    model = untrained(small_world, run_settings(), tmp_path / "model", vectors)
    with pytest.raises(UserError, match="model: gives NaN beliefs"):
        predict(small_world, model, tmp_path / "predictions.parquet", 0.5, CPU)
    assert not (tmp_path / "predictions.parquet").exists()
