"""What a rival does not provide stays empty in its predictions and shares, or is refused in one line."""

import numpy as np
import pytest
import torch

from jvgn.evaluation.predict import predict
from jvgn.evaluation.predictions import check_complete, read_beliefs, read_predictions
from jvgn.evaluation.score import Answers, by_decoding
from jvgn.grounding.answerer import Answerer
from jvgn.training.checkpoint import load_model, new_model, save_model
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import UserError

CPU = torch.device("cpu")


@pytest.fixture
def predicted(small_world, run_settings, tmp_path):
    """The predictions of an untrained rival, with the gold and its file."""

    def predictions(kind):
        torch.manual_seed(0)
        settings = run_settings()
        settings = settings.model_copy(update={"model": settings.model.model_copy(update={"kind": kind})})
        size = small_world.examples(settings).store.feature_size
        model = new_model(settings, np.load(small_world.vectors), size)
        save_model(tmp_path / "model.safetensors", model, settings, size, Vocabulary.read(small_world.words).words)
        predict(small_world, tmp_path / "model.safetensors", tmp_path / "predictions.parquet", 0.5, CPU)
        answers = Answers(small_world.dataset, small_world.nodes, small_world.edges)
        return answers, read_predictions(tmp_path / "predictions.parquet", answers.evaluated).to_pandas()

    return predictions


def test_a_model_of_the_referent_has_no_context_accuracy(predicted, tmp_path):
    answers, found = predicted("bag_of_words")
    assert found["is_referent"].all() and found["unary"].isna().all() and found["map_region"].isna().all()
    shares = by_decoding(answers, found)["test"]
    assert list(shares) == ["marginal"] and shares["marginal"].context_accuracy is None
    path = tmp_path / "predictions.parquet"
    beliefs = read_beliefs(path, found["expression_id"][:3])
    assert beliefs["unary_of_regions"].isna().all()
    np.testing.assert_allclose([one.sum() for one in beliefs["marginal_of_regions"]], 1, rtol=1e-5)
    with pytest.raises(UserError, match=r"does not ground every object"):
        check_complete(path, found)
    with pytest.raises(UserError, match=r"model\.kind bag_of_words, which cannot answer"):
        Answerer(load_model(tmp_path / "model.safetensors", CPU), CPU)


def test_a_tree_grounds_every_node_before_and_after(predicted, tmp_path):
    answers, found = predicted("groundnet")
    nodes = answers.nodes[answers.nodes["expression_id"].isin(found["expression_id"])]
    assert len(found) == len(nodes) and found["unary"].notna().all() and found["map_region"].isna().all()
    shares = by_decoding(answers, found)["test"]
    assert list(shares) == ["unary", "marginal"] and shares["marginal"].context_accuracy is not None
    check_complete(tmp_path / "predictions.parquet", found)
