"""Each rival learns what its structure can express, and cannot learn what it cannot."""

from dataclasses import replace
from typing import get_args

import pytest
import torch

from jvgn.evaluation.predict import first_neighbours, node_beliefs
from jvgn.rivals.parts import ranking_loss, sentence_ranking_loss
from jvgn.rivals.region_speaker import RegionSpeaker
from jvgn.rivals.rooted_tree import rooted_levels
from jvgn.settings.run import ModelKind, RunSettings
from jvgn.training.checkpoint import RIVAL_CLASSES
from tests.jvgn.rivals.scenes import about_one, about_two, accuracy_after_training, batch_about, new_rival
from tests.jvgn.small_batch import small_batch

OF_REFERENTS_ALONE = ("bag_of_words", "ddpn", "listener", "mmi")
WITH_CONTEXT = ("cmn", "mil")
TREES = ("groundnet", "nmtree")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.mark.parametrize("kind", RIVAL_CLASSES)
def test_every_rival_finds_what_one_noun_names(kind):
    assert accuracy_after_training(kind, about_one, 100 if kind == "listener" else 40) >= 0.95


@pytest.mark.parametrize("kind", OF_REFERENTS_ALONE)
def test_a_rival_without_context_cannot_tell_two_apart_by_what_they_are_near(kind):
    assert accuracy_after_training(kind, about_two, 100) <= 0.75


@pytest.mark.parametrize("kind", (*WITH_CONTEXT, *TREES))
def test_a_rival_with_context_can(kind):
    assert accuracy_after_training(kind, about_two, 100) >= 0.9


@pytest.mark.parametrize("kind", RIVAL_CLASSES)
def test_only_trees_can_follow_a_graph(kind):
    batch, rival = batch_about(about_two, 0), new_rival(kind).eval()
    # Without edges, "the dog near the cat" is a dog and a cat.
    nothing = torch.zeros(0, dtype=torch.long)
    by_image = replace(batch.edges_by_image, image_K=nothing, place_K=nothing, size=0)
    edges = {"edges_E2": nothing.reshape(0, 2), "edge_word_V": nothing, "edge_of_V": nothing}
    without = replace(batch, **edges, edges_by_image=by_image)
    assert torch.equal(rival(without).referent_SN, rival(batch).referent_SN) == (kind not in TREES)


@pytest.mark.parametrize("kind", TREES)
def test_the_context_of_a_tree_does_not_hear_from_the_referent(kind):
    batch, rival = batch_about(about_two, 0), new_rival(kind).eval()
    beliefs = rival(batch)
    is_context_K = torch.ones(len(batch.expression_K), dtype=torch.bool).index_fill(0, batch.referent_S, False)
    torch.testing.assert_close(beliefs.node_KN[is_context_K], beliefs.unary_KN[is_context_K])
    assert not torch.allclose(beliefs.node_KN[~is_context_K], beliefs.unary_KN[~is_context_K])


@pytest.mark.parametrize("kind", RIVAL_CLASSES)
def test_padding_and_other_images_change_nothing(kind):
    rival = new_rival(kind).eval()
    alone, among = batch_about(about_two, 5, 1), batch_about(about_two, 5, 3)
    wider = replace(
        alone,
        **{
            name: torch.nn.functional.pad(getattr(alone, name), pad)
            for name, pad in {
                "box_IN4": (0, 0, 0, 2),
                "object_IN": (0, 2),
                "feature_IND": (0, 0, 0, 2),
                "spatial_IN5": (0, 0, 0, 2),
                "present_IN": (0, 2),
            }.items()
        },
    )
    expected = rival(alone).referent_SN
    torch.testing.assert_close(rival(among).referent_SN[:1], expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(rival(wider).referent_SN[:, :4], expected, rtol=1e-4, atol=1e-5)
    assert rival(wider).referent_SN[:, 4:].exp().sum() == 0


@pytest.mark.skipif(not torch.ops.mkldnn._is_mkldnn_bf16_supported(), reason="this CPU has no bfloat16")
@pytest.mark.parametrize("kind", RIVAL_CLASSES)
def test_every_rival_has_the_same_loss_in_bfloat16(kind):
    batch, rival = batch_about(about_two, 0), new_rival(kind).eval()
    losses = []
    for enabled in (False, True):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            beliefs = rival.beliefs(batch)
        losses.append(rival.loss(batch, beliefs).mean())
    assert losses[0] != losses[1]
    torch.testing.assert_close(losses[1], losses[0], rtol=0.02, atol=0.0)


def test_the_hinge_counts_what_is_lacking_to_the_margin():
    batch = batch_about(about_one, 0, 1)
    score_SN = torch.tensor([[1.0, 0.95, 0.5, 1.2]])
    torch.testing.assert_close(ranking_loss(batch, score_SN), torch.tensor([(0.05 + 0.0 + 0.3) / 3]))
    assert sentence_ranking_loss(batch, score_SN).item() == 0  # no other sentence is about the image


def test_a_speaker_gives_each_word_its_probability_after_the_words_before():
    batch = batch_about(about_two, 0, 2)
    torch.manual_seed(0)
    vectors_VW = torch.randn(8, 3)
    speaker = RegionSpeaker(vectors_VW, condition_size=4, hidden_size=5)
    lstm = torch.nn.LSTMCell(3, 5)
    lstm.weight_ih.data, lstm.bias_ih.data = speaker.gates_of_word.weight.data, speaker.gates_of_word.bias.data
    lstm.weight_hh.data, lstm.bias_hh.data = speaker.gates_of_state.weight.data, torch.zeros(20)
    state, expected = None, 0.0
    condition_SCG = torch.zeros(2, 1, 20)
    for place, word in enumerate(batch.word_RT[0].tolist()):
        before = speaker.start if place == 0 else vectors_VW[batch.word_RT[0, place - 1]]
        state = lstm(before[None], state)
        expected += speaker.next_word(state[0]).log_softmax(dim=1)[0, word]
    found_SC = speaker(batch, vectors_VW[batch.word_RT], condition_SCG)
    torch.testing.assert_close(found_SC[0, 0], expected)


def test_the_trees_hang_from_their_referents():
    far, near = rooted_levels(small_batch())  # "man with hat near dog left of tree": the dog is between man and tree
    assert near.parent_F.tolist() == [0, 3, 3] and near.child_F.tolist() == [1, 4, 5]
    assert near.parent_is_subject_F.tolist() == [True, True, False]
    assert (far.parent_F.tolist(), far.child_F.tolist()) == ([5], [6])


def test_one_context_object_is_that_of_the_node_beside_the_referent():
    batch = small_batch()
    assert first_neighbours(batch).tolist() == [1, 4]
    beliefs = new_rival("cmn").eval()(batch_about(about_two, 0))
    _, is_grounded_K = node_beliefs(batch_about(about_two, 0), beliefs)
    assert is_grounded_K.all()
    referents = replace(beliefs, context_SN=None)
    _, is_grounded_K = node_beliefs(batch_about(about_two, 0), referents)
    assert is_grounded_K.sum() == len(beliefs.referent_SN)


def test_the_settings_name_every_rival_and_refuse_what_rivals_ignore():
    assert set(get_args(ModelKind)) == {"jvgn", *RIVAL_CLASSES}
    run = {"detector": "none", "vocabulary": "small", "model": {"kind": "cmn"}}
    RunSettings.model_validate(run)
    refused = [("training", {"contrast": 1.0}), ("model", {"kind": "cmn", "words": "phrase"})]
    refused += [("potentials", "both"), ("potentials", "rules")]
    for part, values in refused:
        with pytest.raises(ValueError, match=r"model\.kind: cmn needs"):
            RunSettings.model_validate(run | {part: values})
