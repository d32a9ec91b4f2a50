"""Each numbered equation of the paper, by name, against its plain definition: loops and enumeration, in float64.

`jvgn/__init__.py` says which function each equation is in.
"""

import itertools
import math

import numpy as np
import pytest
import torch

from jvgn.batches import Batch
from jvgn.belief_propagation import Beliefs, Factors, factors_of, joint_map, log_marginals, log_partition, sum_product
from jvgn.boxes import iou
from jvgn.joint_decoding import best_joint
from jvgn.message_schedule import message_schedule
from jvgn.model import JVGN, NodeBeliefs, divergence, mean_words
from jvgn.training.examples import SoftLabel
from tests.jvgn.small_batch import HIDDEN, SENTENCES, WORDS, double, small_batch, small_model


@pytest.fixture
def batch() -> Batch:
    return double(small_batch())


@pytest.fixture
def model() -> JVGN:
    return small_model()


@pytest.fixture
def potentials(model, batch):
    with torch.no_grad():
        return model.potentials(batch)


def expression_nodes(batch, expression):
    return (batch.expression_K == expression).nonzero().squeeze(1).tolist()


def joint_scores(batch, potentials, expression):
    """Each joint grounding of one expression, with the log of its product of potentials: eq. (8), plainly."""
    unary_KN, pairwise_ENN = potentials
    nodes = expression_nodes(batch, expression)
    present = int(batch.present_IN[batch.image_K[nodes[0]]].sum())
    scores = {}
    for grounding in itertools.product(range(present), repeat=len(nodes)):
        region = dict(zip(nodes, grounding, strict=True))
        score = sum(float(unary_KN[node, region[node]]) for node in nodes)
        for edge, (subject, object_) in enumerate(batch.edges_E2.tolist()):
            if subject in region:
                score += float(pairwise_ENN[edge, region[subject], region[object_]])
        scores[grounding] = score
    return scores


def joint_probabilities(batch, potentials, expression):
    scores = joint_scores(batch, potentials, expression)
    total = sum(math.exp(score) for score in scores.values())
    return {grounding: math.exp(score) / total for grounding, score in scores.items()}


def enumerated_marginals(batch, potentials):
    """(K, N): eq. (11) by summing over all joint groundings, for every node."""
    marginal_KN = torch.zeros_like(potentials[0])
    for expression in range(len(batch.referent_S)):
        nodes = expression_nodes(batch, expression)
        for grounding, probability in joint_probabilities(batch, potentials, expression).items():
            for node, region in zip(nodes, grounding, strict=True):
                marginal_KN[node, region] += probability
    return marginal_KN


# Section 3.1: the problem


def test_equation_1_the_referent_is_its_most_probable_region(model, batch, potentials):
    marginal_KN = enumerated_marginals(batch, potentials)
    with torch.no_grad():
        region_K = model(batch).regions("marginal")
    for referent in batch.referent_S.tolist():
        probabilities = marginal_KN[referent].tolist()
        assert region_K[referent] == max(range(len(probabilities)), key=probabilities.__getitem__)


def test_equation_2_the_joint_grounding_is_the_most_probable_of_all(batch, potentials):
    region_K = joint_map(*potentials, batch.edges_E2)
    region_KQ, log_probability_SQ = best_joint(*potentials, batch.edges_E2, batch.expression_K, 3)
    for expression in range(len(batch.referent_S)):
        probabilities = joint_probabilities(batch, potentials, expression)
        ranked = sorted(probabilities, key=probabilities.__getitem__, reverse=True)[:3]
        nodes = expression_nodes(batch, expression)
        assert tuple(region_K[nodes].tolist()) == ranked[0]
        assert [tuple(region_K.tolist()) for region_K in region_KQ[nodes].T] == ranked
        expected = torch.tensor([probabilities[grounding] for grounding in ranked], dtype=torch.float64)
        torch.testing.assert_close(log_probability_SQ[expression].exp(), expected)


# Section 3.2: language


def test_equation_3_a_word_is_embedded_by_its_row_of_the_table(model, batch):
    word_STL = model.language(batch.word_RT, batch.length_R)
    for sentence, (text, *_) in enumerate(SENTENCES):
        for position, word in enumerate(text.split()):
            u_W = model.language.embedding.weight[WORDS.index(word)]
            torch.testing.assert_close(word_STL[sentence, position, 2 * HIDDEN :], u_W)


def lstm_stack(stack, u_TW):
    """The last layer's states, by the equations of an LSTM cell, a word at a time."""
    inputs = list(u_TW)
    for layer in range(stack.num_layers):
        weights = [getattr(stack, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        from_input, from_state, bias, second_bias = weights
        h = c = torch.zeros(HIDDEN, dtype=u_TW.dtype)
        outputs = []
        for u in inputs:
            gates = (from_input @ u + bias + from_state @ h + second_bias).chunk(4)
            let_in, forget, let_out = (gates[gate].sigmoid() for gate in (0, 1, 3))
            c = forget * c + let_in * gates[2].tanh()
            h = let_out * c.tanh()
            outputs.append(h)
        inputs = outputs
    return torch.stack(inputs)


def test_equation_4_the_lstms_read_each_sentence_from_both_ends(model, batch):
    word_STL = model.language(batch.word_RT, batch.length_R)
    for sentence, length in enumerate(batch.length_R.tolist()):
        u_TW = model.language.embedding(batch.word_RT[sentence, :length])
        forward_TH = lstm_stack(model.language.forward_stack, u_TW)
        backward_TH = lstm_stack(model.language.backward_stack, u_TW.flip(0)).flip(0)
        torch.testing.assert_close(word_STL[sentence, :length, :HIDDEN], forward_TH)
        torch.testing.assert_close(word_STL[sentence, :length, HIDDEN : 2 * HIDDEN], backward_TH)


def test_equation_5_a_word_is_both_states_and_its_embedding(model, batch):
    sentence, length = 0, int(batch.length_R[0])
    u_TW = model.language.embedding(batch.word_RT[sentence, :length])
    forward_TH = lstm_stack(model.language.forward_stack, u_TW)
    backward_TH = lstm_stack(model.language.backward_stack, u_TW.flip(0)).flip(0)
    expected_TL = torch.cat([forward_TH, backward_TH, u_TW], dim=1)
    torch.testing.assert_close(model.language(batch.word_RT, batch.length_R)[sentence, :length], expected_TL)
    assert model.language.size == expected_TL.shape[1]


def pooled(batch, word_STL):
    """w_v of every node and w_e of every edge, in the order of the sentences."""
    nodes, edges = [], []
    for sentence, (_, own_nodes, own_edges) in enumerate(SENTENCES):
        nodes += [sum(word_STL[sentence, token] for token in tokens) / len(tokens) for _, tokens in own_nodes]
        edges += [sum(word_STL[sentence, token] for token in tokens) / len(tokens) for _, _, tokens in own_edges]
    return torch.stack(nodes), torch.stack(edges)


def test_equation_6_nodes_and_edges_are_the_mean_of_their_words(model, batch):
    word_STL = model.language(batch.word_RT, batch.length_R)
    node_KL, edge_EL = pooled(batch, word_STL)
    word_AL = word_STL.flatten(0, 1)
    torch.testing.assert_close(mean_words(word_AL, batch.node_word_U, batch.node_of_U, len(node_KL)), node_KL)
    torch.testing.assert_close(mean_words(word_AL, batch.edge_word_V, batch.edge_of_V, len(edge_EL)), edge_EL)


# Section 3.2: the factor graph


def test_equation_7_the_graph_has_a_factor_for_each_node_and_each_edge(batch):
    node_count, edges, starts = 0, [], []
    for _, own_nodes, own_edges in SENTENCES:
        starts.append(node_count)
        edges += [(node_count + subject, node_count + object_) for subject, object_, _ in own_edges]
        node_count += len(own_nodes)
    assert len(batch.expression_K) == node_count
    assert [tuple(edge) for edge in batch.edges_E2.tolist()] == edges
    assert batch.referent_S.tolist() == starts


def test_equation_8_the_joint_probability_is_the_product_of_potentials(batch, potentials):
    every = 4**4  # as many ways as the largest graph has groundings
    region_KQ, log_probability_SQ = best_joint(*potentials, batch.edges_E2, batch.expression_K, every)
    for expression in range(len(batch.referent_S)):
        expected = joint_probabilities(batch, potentials, expression)
        nodes, log_probability_Q = expression_nodes(batch, expression), log_probability_SQ[expression]
        found = {
            tuple(region_KQ[nodes, way].tolist()): float(log_probability_Q[way].exp())
            for way in range(every)
            if log_probability_Q[way].isfinite()
        }
        assert found == pytest.approx(expected, rel=1e-9)
    levels = list(batch.schedule)
    children = {child for level in levels for child in level.child_F.tolist()}
    roots = [node for node in range(len(batch.expression_K)) if node not in children]
    for root, log_total in zip(roots, log_partition(*potentials, levels, torch.tensor(roots)), strict=True):
        scores = joint_scores(batch, potentials, int(batch.expression_K[root])).values()
        assert float(log_total) == pytest.approx(math.log(sum(map(math.exp, scores))))


def l2norm(value):
    return value / math.sqrt(sum(part**2 for part in value.tolist()))


def softmax(logits):
    weights = [math.exp(logit) for logit in logits]
    return [weight / sum(weights) for weight in weights]


def regions_of(model, batch, image):
    """x = [v; W s] of each region of an image, as the appendix defines it."""
    count = int(batch.present_IN[image].sum())
    rows = []
    for region in range(count):
        position = model.position.weight @ batch.spatial_IN5[image, region] + model.position.bias
        rows.append(torch.cat([batch.feature_IND[image, region], position]))
    return rows


def test_equation_9_unary_potential(model, batch, potentials):
    unary_KN, _ = potentials
    w_KL, _ = pooled(batch, model.language(batch.word_RT, batch.length_R))
    inner, outer = model.unary.project, model.unary.score
    for node, image in enumerate(batch.image_K.tolist()):
        x = regions_of(model, batch, image)
        mixed = [(inner.weight @ x_i + inner.bias) * w_KL[node] for x_i in x]
        logits = [(outer.weight @ l2norm(mixed_i) + outer.bias).item() for mixed_i in mixed]
        torch.testing.assert_close(unary_KN[node, : len(x)], torch.tensor(logits, dtype=torch.float64))
        assert unary_KN[node, len(x) :].isneginf().all()  # padding
        assert unary_KN[node].softmax(0).tolist()[: len(x)] == pytest.approx(softmax(logits))


def test_equation_10_binary_potential(model, batch, potentials):
    _, pairwise_ENN = potentials
    _, w_EL = pooled(batch, model.language(batch.word_RT, batch.length_R))
    inner, outer = model.pairwise.project, model.pairwise.score
    for edge, image in enumerate(batch.image_E.tolist()):
        x = regions_of(model, batch, image)
        pairs = list(itertools.product(range(len(x)), repeat=2))
        logits = []
        for i, j in pairs:  # i is the subject's region, j the object's
            projected = inner.weight @ torch.cat([x[i], x[j]]) + inner.bias
            logits.append((outer.weight @ l2norm(projected * w_EL[edge]) + outer.bias).item())
        found = torch.stack([pairwise_ENN[edge, i, j] for i, j in pairs])
        torch.testing.assert_close(found, torch.tensor(logits, dtype=torch.float64))
        assert found.softmax(0).tolist() == pytest.approx(softmax(logits))


# Section 3.3: marginalisation


def test_equation_11_the_marginal_sums_over_all_groundings_of_the_context(model, batch, potentials):
    expected_KN = enumerated_marginals(batch, potentials)
    with torch.no_grad():
        found_SN = model.log_probability(batch, batch.referent_S, marginalise=True).exp()
    torch.testing.assert_close(found_SN, expected_KN[batch.referent_S])


class PaperMessages:
    """Sum-product as printed, eqs. (12) to (15): a dictionary of probabilities, updated until they settle."""

    def __init__(self, unary_KN, pairwise_ENN, edges):
        self.nodes, self.regions = unary_KN.shape
        self.psi = {("v", node): unary_KN[node].exp() for node in range(self.nodes)}
        self.psi |= {("e", edge): pairwise_ENN[edge].exp() for edge in range(len(edges))}
        self.scope = {("v", node): (node,) for node in range(self.nodes)}
        self.scope |= {("e", edge): tuple(ends) for edge, ends in enumerate(edges)}
        one = torch.ones(self.regions, dtype=unary_KN.dtype)
        self.to_factor = {(i, alpha): one for alpha, scope in self.scope.items() for i in scope}  # eq. (12)
        self.to_variable = {(alpha, i): one for alpha, scope in self.scope.items() for i in scope}  # eq. (12)

    def factors_of(self, i):
        return [alpha for alpha, scope in self.scope.items() if i in scope]

    def variable_to_factor(self, i, alpha):
        """Eq. (13)."""
        product = torch.ones(self.regions, dtype=torch.float64)
        for other in self.factors_of(i):
            if other != alpha:
                product = product * self.to_variable[other, i]
        return product

    def factor_to_variable(self, alpha, i):
        """Eq. (14)."""
        if alpha[0] == "v":
            return self.psi[alpha]
        subject, object_ = self.scope[alpha]
        total = torch.zeros(self.regions, dtype=torch.float64)
        for own, other in itertools.product(range(self.regions), repeat=2):
            if i == subject:
                total[own] += self.psi[alpha][own, other] * self.to_factor[object_, alpha][other]
            else:
                total[own] += self.psi[alpha][other, own] * self.to_factor[subject, alpha][other]
        return total

    def run(self, rounds):
        for _ in range(rounds):
            self.to_factor = {key: self.variable_to_factor(*key) for key in self.to_factor}
            self.to_variable = {key: self.factor_to_variable(*key) for key in self.to_variable}
        return self

    def belief(self, i):
        """Eq. (15)."""
        product = torch.ones(self.regions, dtype=torch.float64)
        for alpha in self.factors_of(i):
            product = product * self.to_variable[alpha, i]
        return product


def normalised(value):
    return value / value.sum(-1, keepdim=True)


@pytest.fixture
def tree():
    """Scores of a tree of four nodes, and its messages as printed."""
    torch.manual_seed(1)
    edges = [(0, 1), (2, 0), (2, 3)]
    unary_KN, pairwise_ENN = torch.randn(4, 3, dtype=torch.float64), torch.randn(3, 3, 3, dtype=torch.float64)
    messages = PaperMessages(unary_KN, pairwise_ENN, edges).run(rounds=8)
    return unary_KN, pairwise_ENN, torch.tensor(edges), messages


def test_equation_12_messages_start_at_one():
    """In log space: a belief starts as the unary factor's message alone."""
    unary_KN = torch.randn(4, 3)
    assert torch.equal(Beliefs(unary_KN).total(), unary_KN)


def test_equation_13_a_variables_message_leaves_out_the_factor_it_goes_to(tree):
    unary_KN, _, edges_E2, messages = tree
    beliefs = Beliefs(unary_KN)
    for edge, (subject, object_) in enumerate(edges_E2.tolist()):
        for node in (subject, object_):
            beliefs.add(torch.tensor([node]), messages.to_variable[("e", edge), node].log()[None])
    for edge, ends in enumerate(edges_E2.tolist()):
        for node in ends:
            heard_1N = messages.to_variable[("e", edge), node].log()[None]
            found_N = beliefs.without(torch.tensor([node]), heard_1N)[0].exp()
            torch.testing.assert_close(found_N, messages.to_factor[node, ("e", edge)])


def test_equation_14_a_factors_message_sums_over_its_other_variable(tree):
    unary_KN, pairwise_ENN, edges_E2, messages = tree
    schedule = message_schedule(len(unary_KN), edges_E2.numpy())
    for repair in (True, False):
        for factors in factors_of(schedule, pairwise_ENN, repair):
            check_messages(factors, messages, to_parents=True)
            check_messages(factors, messages, to_parents=False)


def check_messages(factors: Factors, messages: PaperMessages, to_parents: bool) -> None:
    sender_F, receiver_F = factors.child_F, factors.parent_F
    if not to_parents:
        sender_F, receiver_F = receiver_F, sender_F
    ways = list(zip(factors.edge_F.tolist(), sender_F.tolist(), receiver_F.tolist(), strict=True))
    heard_FN = torch.stack([messages.to_factor[sender, ("e", edge)] for edge, sender, _ in ways]).log()
    expected_FN = torch.stack([messages.to_variable[("e", edge), receiver] for edge, _, receiver in ways])
    found_FN = factors.message(heard_FN, to_parents).exp()
    torch.testing.assert_close(normalised(found_FN), normalised(expected_FN))


def test_equation_15_a_belief_is_the_product_of_all_messages_to_it(tree):
    unary_KN, _, edges_E2, messages = tree
    beliefs = Beliefs(unary_KN)
    for edge, ends in enumerate(edges_E2.tolist()):
        for node in ends:
            beliefs.add(torch.tensor([node]), messages.to_variable[("e", edge), node].log()[None])
    expected_KN = torch.stack([messages.belief(node) for node in range(4)])
    torch.testing.assert_close(beliefs.total().exp(), expected_KN)


def test_equation_16_marginals_are_normalised_beliefs(tree):
    unary_KN, pairwise_ENN, edges_E2, messages = tree
    expected_KN = normalised(torch.stack([messages.belief(node) for node in range(4)]))
    schedule = message_schedule(len(unary_KN), edges_E2.numpy())
    for repair in (True, False):
        found_KN = sum_product(unary_KN, pairwise_ENN, schedule, repair).exp()
        torch.testing.assert_close(found_KN, expected_KN)
        torch.testing.assert_close(found_KN.sum(1), torch.ones(4, dtype=torch.float64))


def test_softmax_over_regions_or_pairs_changes_no_marginal(tree):
    """Eqs. (9) and (10) normalise each factor; that constant cancels in eq. (16)."""
    unary_KN, pairwise_ENN, edges_E2, _ = tree
    as_printed_ENN = pairwise_ENN.flatten(1).log_softmax(1).view_as(pairwise_ENN)
    as_printed = log_marginals(unary_KN.log_softmax(1), as_printed_ENN, edges_E2)
    torch.testing.assert_close(log_marginals(unary_KN, pairwise_ENN, edges_E2), as_printed)


# Section 3.3: training


def kl_divergence(target, probability):
    return sum(p * math.log(p / q) for p, q in zip(target, probability, strict=True) if p > 0)


def test_equation_17_the_objective_is_the_divergence_from_the_label():
    torch.manual_seed(0)
    log_probability_SN = torch.randn(3, 4, dtype=torch.float64).log_softmax(1)
    target_SN = torch.rand(3, 4, dtype=torch.float64)
    target_SN[0, 1] = 0
    target_SN = normalised(target_SN)
    loss_S = divergence(log_probability_SN, target_SN)
    for loss, target_N, log_probability_N in zip(loss_S, target_SN, log_probability_SN, strict=True):
        assert float(loss) == pytest.approx(kl_divergence(target_N.tolist(), log_probability_N.exp().tolist()))
    torch.testing.assert_close(divergence(target_SN.log(), target_SN), torch.zeros(3, dtype=torch.float64))


def test_equation_18_the_loss_with_ground_truth_regions_is_the_gold_regions_log_probability(model, batch, potentials):
    marginal_KN = enumerated_marginals(batch, potentials)
    with torch.no_grad():
        loss_S = divergence(model.log_probability(batch, batch.referent_S, marginalise=True), batch.target_GN)
    for expression, referent in enumerate(batch.referent_S.tolist()):
        assert float(loss_S[expression]) == pytest.approx(-math.log(marginal_KN[referent, 0]))  # region 0 is gold


def test_equation_19_soft_labels_are_the_softmax_of_overlap_beyond_the_threshold():
    box = np.array([[0, 0, 10, 10], [0, 0, 10, 8], [0, 5, 10, 10], [50, 50, 60, 60]], np.float32)
    overlap_N = iou(box, box[0])[:, 0]
    assert overlap_N.tolist() == pytest.approx([1, 0.8, 0.5, 0])
    expected = softmax([max(0.0, overlap - 0.5) for overlap in overlap_N.tolist()])
    assert SoftLabel("printed", 0.5).target(overlap_N) == pytest.approx(expected)
    kept = [overlap if overlap >= 0.5 else 0.0 for overlap in overlap_N.tolist()]
    assert SoftLabel("normalised", 0.5).target(overlap_N) == pytest.approx([part / sum(kept) for part in kept])


@pytest.mark.parametrize("kind", ["printed", "normalised"])
def test_equation_20_the_loss_with_detected_regions_uses_the_soft_label(model, batch, potentials, kind):
    """The printed factor 1/N only scales the learning rate, and is left out."""
    marginal_KN = enumerated_marginals(batch, potentials)
    overlaps = [[0.9, 0.6, 0.1], [0.2, 0.7, 0.55, 0.5], [1.0, 0.0, 0.0, 0.3]]
    labels = [SoftLabel(kind, 0.5).target(np.array(overlap)) for overlap in overlaps]
    target_SN = torch.zeros_like(batch.target_GN)
    for expression, label in enumerate(labels):
        target_SN[expression, : len(label)] = torch.from_numpy(label)
    with torch.no_grad():
        loss_S = divergence(model.log_probability(batch, batch.referent_S, marginalise=True), target_SN)
    for expression, referent in enumerate(batch.referent_S.tolist()):
        own = len(labels[expression])
        expected = kl_divergence(labels[expression].tolist(), marginal_KN[referent, :own].tolist())
        assert float(loss_S[expression]) == pytest.approx(expected)


def test_the_whole_model_is_the_enumeration_of_its_potentials(model, batch, potentials):
    with torch.no_grad():
        beliefs: NodeBeliefs = model(batch)
    marginal_KN = enumerated_marginals(batch, potentials)
    torch.testing.assert_close(beliefs.marginal_KN.exp(), marginal_KN)
    entropy_K = -torch.special.xlogy(marginal_KN, marginal_KN).sum(1)
    torch.testing.assert_close(beliefs.entropy(), entropy_K)
