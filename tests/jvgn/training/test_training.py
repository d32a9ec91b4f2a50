"""Training finds referents and their context, needs relations to do so, and is exactly repeatable."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from jvgn.evaluation.predict import predict
from jvgn.evaluation.predictions import read_predictions
from jvgn.evaluation.score import Answers, by_decoding
from jvgn.joint_decoding import best_joint
from jvgn.model import divergence
from jvgn.regions.hdf5_store import RegionStore, RegionWriter
from jvgn.runtime.distributed import Processes
from jvgn.storage.files import actions_on_success
from jvgn.storage.tensor_files import TrainingState
from jvgn.training.checkpoint import load_model, new_model, save_model
from jvgn.training.examples import SoftLabel
from jvgn.training.run import train
from jvgn.training.trainer import Trainer
from jvgn.vocabulary.words import Vocabulary, build_vocabulary
from parsers.errors import UserError

CPU = torch.device("cpu")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def trained(small_world, run_settings, tmp_path_factory):
    """The models trained with (True) and without (False) marginalisation."""
    folder = tmp_path_factory.mktemp("trained")
    models = {}
    for marginalise in (True, False):
        models[marginalise] = folder / f"{marginalise}" / "model.safetensors"
        settings = run_settings(marginalise=marginalise)
        train(small_world, settings, models[marginalise], models[marginalise].with_name("history.parquet"), CPU)
    return models


@pytest.fixture(scope="module")
def ablation(small_world, trained, tmp_path_factory):
    """The shares of each model, decoded with and without message passing."""
    answers = Answers(small_world.dataset, small_world.nodes, small_world.edges)
    rows = {}
    for in_training, model in trained.items():
        path = tmp_path_factory.mktemp("ablation") / "predictions.parquet"
        predict(small_world, model, path, 0.5, CPU)
        predictions = read_predictions(path, answers.evaluated).to_pandas()
        for split, ways in by_decoding(answers, predictions).items():
            rows[in_training, False, split] = ways["unary"].model_dump()
            rows[in_training, True, split] = ways["marginal"].model_dump()
    return pd.DataFrame(rows).T


def test_the_full_model_grounds_referents_and_context(ablation):
    test, adversarial = ablation.loc[(True, True, "test")], ablation.loc[(True, True, "adv")]
    assert test["accuracy"] >= 90 and test["context_accuracy"] >= 85
    assert adversarial["accuracy"] >= 80


def test_marginalisation_is_what_makes_the_difference(ablation):
    full = ablation.loc[(True, True, "test"), "accuracy"]
    for row in [(False, False), (False, True), (True, False)]:
        assert ablation.loc[(*row, "test"), "accuracy"] <= full - 15


def test_a_bag_of_words_falls_far_behind(small_world, run_settings, ablation, tmp_path):
    torch.manual_seed(0)
    settings = run_settings()
    settings = settings.model_copy(update={"model": settings.model.model_copy(update={"kind": "bag_of_words"})})
    examples = small_world.examples(settings)
    baseline = new_model(settings, np.load(small_world.vectors), examples.store.feature_size)
    trainer = Trainer(baseline, examples, settings.training, Processes(CPU))
    trainer.run(TrainingState(tmp_path / "state.pt", {}))
    baseline.load_state_dict(trainer.best_weights)
    assert trainer.accuracy("test") <= ablation.loc[(True, True, "test"), "accuracy"] - 15
    assert trainer.accuracy("adv") <= 55


def trained_bytes(inputs, settings, folder):
    train(inputs, settings, folder / "model.safetensors", folder / "history.parquet", CPU)
    predict(inputs, folder / "model.safetensors", folder / "predictions.parquet", 0.5, CPU)
    return (folder / "model.safetensors").read_bytes(), (folder / "predictions.parquet").read_bytes()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(small_world, run_settings, tmp_path):
    once = trained_bytes(small_world, run_settings(epochs=2), tmp_path / "once")
    assert trained_bytes(small_world, run_settings(epochs=2), tmp_path / "twice") == once
    assert trained_bytes(small_world, run_settings(epochs=2, seed=1), tmp_path / "other") != once


def test_the_saved_state_stays_until_the_command_has_ended_well(small_world, run_settings, tmp_path):
    """On a disk that is full at the very end, hours of training are not lost."""
    actions = []
    token = actions_on_success.set(actions)
    train(small_world, run_settings(epochs=1), tmp_path / "model.safetensors", tmp_path / "history.parquet", CPU)
    actions_on_success.reset(token)
    assert (tmp_path / "training_state.pt").exists()
    for action in actions:
        action()
    assert not (tmp_path / "training_state.pt").exists()


def test_a_state_that_does_not_fit_is_reported_and_kept(tmp_path, caplog):
    theirs = TrainingState(tmp_path / "state.pt", {"settings": {"epochs": 20}, "regions.h5": "a" * 64})
    theirs.save(step=3)
    assert theirs.load()["step"] == 3
    ours = TrainingState(tmp_path / "state.pt", {"settings": {"epochs": 30}, "regions.h5": "b" * 64})
    assert ours.load() is None
    assert "saved with another regions.h5, settings.epochs (20, now 30); training starts again" in caplog.text
    ours.save(step=1)
    assert ours.load()["step"] == 1
    assert TrainingState(tmp_path / "state.1.pt", theirs.depends_on).load()["step"] == 3
    (tmp_path / "state.pt").write_bytes(b"not a state")
    assert ours.load() is None
    ours.remove()
    assert (tmp_path / "state.2.pt").read_bytes() == b"not a state"


def test_a_state_with_a_changed_byte_is_not_used(tmp_path, caplog):
    """torch itself does not notice it, and would load other weights."""
    state = TrainingState(tmp_path / "state.pt", {})
    state.save(weights=torch.arange(1000.0))
    whole = state.path.read_bytes()
    changed = whole.replace(torch.tensor(500.0).numpy().tobytes(), torch.tensor(-500.0).numpy().tobytes())
    state.path.write_bytes(changed)
    assert torch.load(state.path, weights_only=True)["weights"][500] == -500
    assert state.load() is None and "wrong checksum" in caplog.text
    state.path.write_bytes(whole)
    assert state.load()["weights"][500] == 500


def test_the_best_epoch_is_kept(trained):
    history = pd.read_parquet(trained[True].with_name("history.parquet"))
    assert history["epoch"].tolist() == list(range(1, 15))
    assert history["val_accuracy"].max() >= 90
    assert history["learning_rate"].iloc[3] == pytest.approx(5e-3 * 0.7)
    assert load_model(trained[True], CPU).settings.training.marginalise


def test_the_history_shows_that_the_model_learns(trained):
    history = pd.read_parquet(trained[True].with_name("history.parquet"))
    assert history["train_accuracy"].iloc[-1] > 75 > 60 > history["train_accuracy"].iloc[0] > 15
    assert history["val_loss"].iloc[-1] < history["val_loss"].iloc[0] / 2
    assert (history["gradient_norm"] > 0).all()


def test_the_history_has_the_loss_of_val_and_the_accuracy_and_gradients_of_train(small_world, run_settings, tmp_path):
    """Against their plain definitions, for one step without dropout."""
    settings = run_settings(epochs=1, images_per_batch=1000, dropout=0.0)
    torch.manual_seed(settings.training.seed)
    examples = small_world.examples(settings)
    vectors = np.load(small_world.vectors)
    model = new_model(settings, vectors, examples.store.feature_size)
    (batch,) = examples.batches("train", 1000)
    log_probability_SN = model.log_probability(batch, batch.referent_S, True)
    right_S = batch.right_SN.gather(1, log_probability_SN.argmax(1)[:, None])
    divergence(log_probability_SN, batch.target_GN).mean().backward()
    norm = torch.stack([value.grad.norm() for value in model.parameters() if value.grad is not None]).norm()
    train(small_world, settings, tmp_path / "model.safetensors", tmp_path / "history.parquet", CPU)
    (row,) = pd.read_parquet(tmp_path / "history.parquet").to_dict("records")
    assert row["train_accuracy"] == pytest.approx(100 * right_S.float().mean().item())
    assert row["gradient_norm"] == pytest.approx(norm.item(), rel=1e-4)
    saved = load_model(tmp_path / "model.safetensors", CPU).model
    (batch,) = examples.batches("val", 1000)
    loss_S = divergence(saved.log_probability(batch, batch.referent_S, True), batch.target_GN)
    assert row["val_loss"] == pytest.approx(loss_S.mean().item(), rel=1e-5)


@pytest.mark.parametrize(("learning_rate", "is_warned"), [(5e-3, False), (1e-9, True)])
def test_a_first_epoch_that_is_close_to_guessing_is_a_warning(
    small_world, run_settings, tmp_path, caplog, learning_rate, is_warned
):
    caplog.set_level("INFO")
    settings = run_settings(epochs=1, learning_rate=learning_rate)
    train(small_world, settings, tmp_path / "model.safetensors", tmp_path / "history.parquet", CPU)
    (batch,) = small_world.examples(settings).batches("val", 1000)
    counts_S = batch.present_IN.sum(1)[batch.image_S]
    chance, loss = 100 * (1 / counts_S).mean().item(), counts_S.log().mean().item()
    assert f"guessing on val has accuracy {chance:.2f}, and loss {loss:.4f}" in caplog.text
    assert (f"are close to those of guessing ({chance:.2f}, {loss:.4f})" in caplog.text) == is_warned


def test_the_initial_scale_of_the_position_layer_is_a_setting(small_world, run_settings):
    settings = run_settings()
    scaled = settings.model_copy(update={"model": settings.model.model_copy(update={"position_scale": 0.25})})
    models = []
    for chosen in (settings, scaled):
        torch.manual_seed(0)
        models.append(new_model(chosen, np.load(small_world.vectors), 10).state_dict())
    for name, value in models[0].items():
        torch.testing.assert_close(models[1][name], value * (0.25 if name.startswith("position.") else 1.0))


def test_the_saved_weights_are_the_best_epochs(small_world, run_settings, trained):
    """On val, the saved model is as accurate as the best line of its history."""
    history = pd.read_parquet(trained[True].with_name("history.parquet"))
    model, settings = load_model(trained[True], CPU).model, run_settings()
    accuracy = Trainer(model, small_world.examples(settings), settings.training, Processes(CPU)).accuracy("val")
    assert accuracy == history["val_accuracy"].max()


def test_a_model_is_refused_words_of_another_vocabulary(small_world, trained, tmp_path):
    build_vocabulary(small_world.dataset / "expressions.parquet", tmp_path / "words.parquet", 1000, "train")
    with pytest.raises(UserError, match="trained with another vocabulary"):
        predict(replace(small_world, words=tmp_path / "words.parquet"), trained[True], tmp_path / "p", 0.5, CPU)


def test_a_model_is_refused_regions_of_another_feature_size(trained):
    model = load_model(trained[True], CPU)
    with pytest.raises(UserError, match=r"trained on features of size \d+, but the regions have 2048"):
        model.check(2048, model.words)


def test_the_best_of_the_k_best_groundings_is_the_joint_map(small_world, run_settings, trained):
    model = load_model(trained[True], CPU).model
    batch = next(iter(small_world.examples(run_settings()).batches("test", 8)))
    with torch.no_grad():
        region_KQ, log_probability_SQ = best_joint(*model.potentials(batch), batch.edges_E2, batch.expression_K, 3)
        beliefs = model(batch)
    assert torch.equal(region_KQ[:, 0], beliefs.map_K)
    assert (log_probability_SQ.exp().sum(1) <= 1 + 1e-4).all() and (log_probability_SQ.diff(dim=1) <= 0).all()
    uniform = batch.present_IN.sum(1)[batch.image_K].log()
    assert (beliefs.entropy() >= -1e-5).all() and (beliefs.entropy() <= uniform + 1e-5).all()


def test_detections_are_right_by_their_overlap(small_world, run_settings, tmp_path):
    """The same boxes as detections, without object ids: the targets are those of the gold objects."""
    store = RegionStore(small_world.regions)
    with RegionWriter(tmp_path / "det.h5", store.feature_size, "float32", {"setting": "det"}) as writer:
        for image_id in store.image_ids:
            regions = store.read(image_id)
            writer.append(image_id, replace(regions, object_id=np.full(len(regions), -1)))
    gt = next(iter(small_world.examples(run_settings()).batches("val", 8)))
    detected = replace(small_world, regions=tmp_path / "det.h5")
    det = next(iter(detected.examples(run_settings()).batches("val", 8)))
    torch.testing.assert_close(det.right_SN, gt.right_SN)
    assert (det.target_GN.argmax(1) == gt.target_GN.argmax(1)).all()
    torch.testing.assert_close(det.target_GN.sum(1), torch.ones(len(det.target_GN)))


def test_soft_labels_follow_the_overlap():
    overlap = np.array([0.9, 0.6, 0.4, 0.0])
    np.testing.assert_allclose(SoftLabel("normalised", 0.5).target(overlap), [0.6, 0.4, 0, 0])
    np.testing.assert_allclose(SoftLabel("normalised", 0.95).target(overlap), 0)
    weight = np.exp([0.4, 0.1, 0, 0])
    np.testing.assert_allclose(SoftLabel("printed", 0.5).target(overlap), weight / weight.sum())


def test_a_loss_that_is_not_finite_stops_the_training(small_world, run_settings, monkeypatch, tmp_path):
    monkeypatch.setattr("jvgn.model.divergence", lambda *parts: divergence(*parts) * torch.nan)
    with pytest.raises(UserError, match="the loss is not finite in epoch 1"):
        train(small_world, run_settings(epochs=1), tmp_path / "model.safetensors", tmp_path / "history.parquet", CPU)


def test_beliefs_that_are_nan_stop_the_prediction_and_name_the_expression(small_world, trained, tmp_path):
    model = load_model(trained[True], CPU)
    model.model.pairwise.score.weight.data.fill_(torch.nan)
    words = Vocabulary.read(small_world.words).words
    save_model(tmp_path / "model.safetensors", model.model, model.settings, model.feature_size, words)
    with pytest.raises(UserError, match=r"model\.safetensors: gives NaN beliefs for expression \d+; train again"):
        predict(small_world, tmp_path / "model.safetensors", tmp_path / "predictions.parquet", 0.5, CPU)
    assert not (tmp_path / "predictions.parquet").exists()


def test_features_stored_in_half_precision_change_no_accuracy(small_world, trained, tmp_path):
    """The default of extraction, beside the same regions in full precision."""
    store = RegionStore(small_world.regions)
    with RegionWriter(tmp_path / "half.h5", store.feature_size, "float16", {"setting": "gt"}) as writer:
        for image_id in store.image_ids.tolist():
            regions = store.read(image_id)
            assert regions.feature.dtype == np.float32
            writer.append(image_id, replace(regions, feature=regions.feature.astype(np.float16)))
    found = {}
    for name, path in {"full": small_world.regions, "half": tmp_path / "half.h5"}.items():
        predict(replace(small_world, regions=path), trained[True], tmp_path / f"{name}.parquet", 0.5, CPU)
        found[name] = pd.read_parquet(tmp_path / f"{name}.parquet")
    full, half = found["full"], found["half"]
    assert (full["region"] == half["region"]).mean() > 0.998
    assert (full["marginal"] - half["marginal"]).abs().max() < 0.02
    accuracy = {name: table.loc[table["is_referent"], "correct"].mean() for name, table in found.items()}
    assert accuracy["half"] == pytest.approx(accuracy["full"], abs=0.002)
