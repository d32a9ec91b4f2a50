"""Remedies for context nodes that collapse onto the referent's region: departures from the paper, off in its preset."""

import itertools

import numpy as np
import pytest
import torch

from jvgn.batches import RuleLogits
from jvgn.belief_propagation import joint_map, log_marginals
from jvgn.factor_graph import factor_graph, with_phrases
from jvgn.joint_decoding import best_joint, distinct_joint
from jvgn.runtime.distributed import Processes
from jvgn.training.checkpoint import new_model
from jvgn.training.trainer import Trainer
from jvgn.vocabulary.words import Vocabulary, read_vectors
from tests.jvgn.small_batch import (
    COUNTS,
    IMAGE_S,
    SENTENCES,
    WORDS,
    double,
    joined,
    scene_graph,
    small_batch,
    small_model,
)

GRAPHS = joined([factor_graph(scene_graph(*sentence), Vocabulary(WORDS)) for sentence in SENTENCES])
ROWS = np.arange(len(SENTENCES))


def phrases(forest, node_word_U, owner_U, count):
    return [[WORDS[word] for word in forest.word_RT.ravel()[node_word_U[owner_U == owner]]] for owner in range(count)]


def test_distinct_lowers_the_scores_of_equal_ends_only():
    batch, model = double(small_batch()), small_model()
    unary_KN, pairwise_ENN = model.potentials(batch)
    model.distinct = 3.0
    changed_KN, changed_ENN = model.potentials(batch)
    assert torch.equal(changed_KN, unary_KN)
    torch.testing.assert_close(changed_ENN, pairwise_ENN - 3 * torch.eye(pairwise_ENN.shape[1]))


def test_the_potentials_of_rules_are_added_with_their_scales():
    """Against each expression's own potentials, without padding."""
    random = np.random.default_rng(0)
    rules = [
        RuleLogits(random.normal(size=(len(nodes), count)), random.normal(size=(len(edges), count, count)))
        for (_, nodes, edges), count in zip(SENTENCES, (COUNTS[image] for image in IMAGE_S), strict=True)
    ]
    batch, model = double(small_batch(rules=rules)), small_model()
    unary_KN, pairwise_ENN = model.potentials(batch)
    model.rule_scale = torch.nn.Parameter(torch.tensor([0.5, 3.0], dtype=torch.double))
    found_KN, found_ENN = model.potentials(batch)
    node = edge = 0
    for one in rules:
        count = one.unary_KN.shape[1]
        for expected_N in one.unary_KN:
            assert found_KN[node, count:].isneginf().all()
            added_N = (found_KN - unary_KN)[node, :count].detach().numpy()
            np.testing.assert_allclose(added_N, 0.5 * expected_N, rtol=1e-5)
            node += 1
        for expected_NN in one.pairwise_ENN:
            added_NN = (found_ENN - pairwise_ENN)[edge, :count, :count].detach().numpy()
            np.testing.assert_allclose(added_NN, 3 * expected_NN, rtol=1e-5)
            edge += 1
    assert (node, edge) == (len(found_KN), len(found_ENN))


def test_distinct_ends_are_never_one_region_if_the_penalty_is_large():
    batch, model = double(small_batch()), small_model()
    model.distinct = 1000.0
    region_K = model(batch).map_K
    subject_E, object_E = batch.edges_E2.T
    assert (region_K[subject_E] != region_K[object_E]).all()


def test_an_image_with_one_region_still_has_a_solution():
    unary_KN, edges_E2 = torch.zeros(2, 1), torch.tensor([[0, 1]])
    pairwise_ENN = torch.full((1, 1, 1), -1000.0)
    assert log_marginals(unary_KN, pairwise_ENN, edges_E2).exp().tolist() == [[1.0], [1.0]]
    graph_K = torch.zeros(2, dtype=torch.long)
    assert distinct_joint(unary_KN, pairwise_ENN, edges_E2, graph_K).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_distinct_decoding_is_the_best_assignment_without_a_repeated_region(seed):
    """A chain of three nodes and four regions, against all assignments."""
    torch.manual_seed(seed)
    unary_KN, pairwise_ENN, edges_E2 = torch.randn(3, 4), torch.randn(2, 4, 4), torch.tensor([[0, 1], [1, 2]])
    scores = {
        regions: sum(unary_KN[node, region] for node, region in enumerate(regions))
        + pairwise_ENN[0, regions[0], regions[1]]
        + pairwise_ENN[1, regions[1], regions[2]]
        for regions in itertools.permutations(range(4), 3)
    }
    found_K = distinct_joint(unary_KN, pairwise_ENN, edges_E2, torch.zeros(3, dtype=torch.long))
    assert tuple(found_K.tolist()) == max(scores, key=scores.__getitem__)


def test_distinct_decoding_looks_at_each_graph_of_a_batch_by_itself():
    batch, model = double(small_batch()), small_model()
    unary_KN, pairwise_ENN = model.potentials(batch)
    found_K = model(batch, distinct=True).regions("distinct")
    best_K = joint_map(unary_KN, pairwise_ENN, batch.schedule)
    ways_KQ, _ = best_joint(unary_KN, pairwise_ENN, batch.edges_E2, batch.expression_K, 3)
    for expression in range(len(SENTENCES)):
        own = batch.expression_K == expression
        assert len(found_K[own].unique()) == int(own.sum())
        if len(best_K[own].unique()) == int(own.sum()):
            assert torch.equal(found_K[own], ways_KQ[own, 0])


def test_a_phrase_is_read_without_its_sentence():
    plain, alone = GRAPHS.forest(ROWS), GRAPHS.forest(ROWS, "phrase")
    for words, owners, count in (
        ("node_word_U", "node_of_U", len(plain.expression_K)),
        ("edge_word_V", "edge_of_V", len(plain.expression_E)),
    ):
        expected = phrases(plain, getattr(plain, words), getattr(plain, owners), count)
        assert phrases(alone, getattr(alone, words), getattr(alone, owners), count) == expected
    rows = [[WORDS[word] for word in row[:length]] for row, length in zip(alone.word_RT, alone.length_R, strict=True)]
    assert rows[:2] == [["white", "man"], ["red", "car"]] and ["left", "of"] in rows
    assert len(rows) == len(plain.expression_K) + len(plain.expression_E)


@pytest.mark.parametrize("words", ["sentence", "phrase"])
def test_phrases_are_added_as_expressions_of_their_own_words(words):
    forest = GRAPHS.forest(ROWS, words)
    more = with_phrases(forest, np.array([1, 3]))
    nodes = len(forest.expression_K)
    assert more.expression_K[nodes:].tolist() == [0, 2]
    assert more.original_K.tolist() == [*range(nodes), 1, 3]
    found = phrases(more, more.node_word_U, more.node_of_U, nodes + 2)
    assert found == [*phrases(forest, forest.node_word_U, forest.node_of_U, nodes), ["red", "car"], ["man"]]
    assert more.length_R[len(forest.length_R) :].tolist() == [2, 1]
    assert more.edges_E2.tolist() == forest.edges_E2.tolist()


def test_feature_dropout_acts_in_training_only():
    batch, model = double(small_batch()), small_model()
    model.feature_dropout.p = 0.5
    assert torch.equal(model.regions(batch), model.regions(batch))
    model.train()
    assert not torch.equal(model.regions(batch), model.regions(batch))


def test_contrast_compares_a_nodes_own_image_with_the_others():
    """Against the plain definition: the largest factor of an image's regions, as a share of all images'."""
    batch, model = double(small_batch()), small_model()
    encoded = model.encode(batch)
    found_K = model.image_log_probability(batch, encoded).exp()
    for node, image in enumerate(batch.image_K.tolist()):
        best = []
        for other, present_N in enumerate(batch.present_IN):
            logit_1N = model.unary.direct(encoded.x_INX, encoded.w_KL[node : node + 1], torch.tensor([other]))
            best.append(logit_1N[0, present_N].exp().max())
        torch.testing.assert_close(found_K[node], best[image] / sum(best))


@pytest.mark.parametrize("contrast", [0.0, 1.0])
def test_contrast_teaches_nodes_without_a_label(small_world, run_settings, monkeypatch, contrast):
    """With the referent's phrase alone in the loss, only contrast moves the words of its context."""
    settings = run_settings(marginalise=False, contrast=contrast)
    examples = small_world.examples(settings)
    vectors = read_vectors(small_world.vectors, Vocabulary.read(small_world.words))
    model = new_model(settings, vectors, examples.store.feature_size)
    batch = next(iter(examples.batches("train", 4)))
    encoded = model.encode(batch)
    encoded.w_KL.retain_grad()
    monkeypatch.setattr(model, "encode", lambda _: encoded)
    Trainer(model, examples, settings.training, Processes(torch.device("cpu"))).losses(batch)[0].sum().backward()
    is_moved_K = encoded.w_KL.grad.any(dim=1)
    is_context_K = torch.ones_like(is_moved_K).index_fill(0, batch.referent_S, False)
    assert is_moved_K[~is_context_K].all() and is_moved_K[is_context_K].any() == bool(contrast)


@pytest.mark.parametrize(("supervise", "more"), [("referent", 0), ("all", 1), ("phrases", 2)])
def test_supervision_labels_the_annotated_objects_of_training_expressions(small_world, run_settings, supervise, more):
    """In this world every mention is annotated: `all` labels each node, `phrases` also adds each as an expression."""
    examples = small_world.examples(run_settings(supervise=supervise))
    for split, factor in (("train", more), ("val", 0)):
        batch = next(iter(examples.batches(split, 4)))
        sentences, nodes = len(batch.row_S), len(examples.graphs.forest(batch.row_S.numpy()).expression_K)
        assert len(batch.labelled_G) == {0: sentences, 1: nodes, 2: sentences + nodes}[factor]
        assert len(batch.image_K) == (2 * nodes if factor == 2 else nodes)
        object_G = batch.object_IN[batch.image_K[batch.labelled_G]].gather(1, batch.target_GN.argmax(1)[:, None])
        assert torch.equal(object_G[:sentences, 0], torch.from_numpy(examples.object_S[batch.row_S])) or factor == 1
        assert batch.with_target == len(batch.labelled_G)
