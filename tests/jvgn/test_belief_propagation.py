"""Belief propagation against its plain definition: listing every joint assignment."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jvgn.belief_propagation import joint_map, log_marginals
from jvgn.joint_decoding import best_joint


@st.composite
def forests(draw, most_nodes=6, most_regions=4, masked=False):
    """A random forest with random scores: (unary_KN, pairwise_ENN, edges_E2)."""
    nodes = draw(st.integers(1, most_nodes))
    regions = draw(st.integers(1, most_regions))
    edges = []
    for node in range(1, nodes):
        parent = draw(st.integers(-1, node - 1))
        if parent >= 0:
            edges.append((node, parent) if draw(st.booleans()) else (parent, node))
    edges = draw(st.permutations(edges))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([0.1, 1.0, 30.0, 300.0]))  # the last beyond what exp can hold
    unary = torch.from_numpy(random.normal(size=(nodes, regions)) * scale)
    pairwise = torch.from_numpy(random.normal(size=(len(edges), regions, regions)) * scale)
    if masked:
        kept = random.integers(regions)  # one region stays open everywhere, so that some assignment exists
        shut = torch.from_numpy(random.random((nodes, regions)) < 0.4)
        shut[:, kept] = False
        unary[shut] = -torch.inf
        shut = torch.from_numpy(random.random((len(edges), regions, regions)) < 0.3)
        shut[:, kept, kept] = False
        pairwise[shut] = -torch.inf
    return unary, pairwise, torch.tensor(edges, dtype=torch.long).reshape(-1, 2)


def assignment_scores(unary, pairwise, edges):
    """Every joint assignment with its log score."""
    nodes, regions = unary.shape
    assignments = torch.tensor(list(itertools.product(range(regions), repeat=nodes)))
    scores = unary[torch.arange(nodes), assignments].sum(1)
    for edge, (subject, object_) in enumerate(edges.tolist()):
        scores = scores + pairwise[edge, assignments[:, subject], assignments[:, object_]]
    return assignments, scores


def enumerated_marginals(unary, pairwise, edges):
    assignments, scores = assignment_scores(unary, pairwise, edges)
    marginals = torch.full_like(unary, -torch.inf)
    for node, region in itertools.product(*map(range, unary.shape)):
        marginals[node, region] = scores[assignments[:, node] == region].logsumexp(0)
    return marginals - scores.logsumexp(0)


@settings(deadline=None, max_examples=150)
@given(forests())
def test_marginals_equal_enumeration_on_forests(forest):
    torch.testing.assert_close(log_marginals(*forest), enumerated_marginals(*forest), rtol=1e-10, atol=1e-10)


@settings(deadline=None, max_examples=150)
@given(forests(masked=True))
def test_marginals_equal_enumeration_with_masked_regions(forest):
    torch.testing.assert_close(log_marginals(*forest), enumerated_marginals(*forest), rtol=1e-10, atol=1e-10)


@settings(deadline=None, max_examples=100)
@given(forests(), st.booleans())
def test_the_joint_map_is_the_best_of_all_assignments(forest, masked):
    unary, pairwise, edges = forest
    if masked and unary.shape[1] > 1:
        unary[:, 0] = -torch.inf
    assignments, scores = assignment_scores(unary, pairwise, edges)
    assert joint_map(unary, pairwise, edges).tolist() == assignments[scores.argmax()].tolist()


@settings(deadline=None, max_examples=100)
@given(forests(), st.integers(1, 9), st.booleans())
def test_the_k_best_joint_groundings_are_those_of_enumeration(forest, k, masked):
    """The whole forest as one graph: its trees are grounded jointly."""
    unary, pairwise, edges = forest
    if masked and unary.shape[1] > 1:
        unary[:, 0] = -torch.inf
    assignments, scores = assignment_scores(unary, pairwise, edges)
    expected, order = (scores - scores.logsumexp(0)).sort(descending=True)
    regions, found = best_joint(unary, pairwise, edges, torch.zeros(len(unary), dtype=torch.long), k)
    there = min(k, int(scores.isfinite().sum()))
    torch.testing.assert_close(found[0, :there], expected[:there], rtol=1e-9, atol=1e-9)
    assert found[0, there:].isneginf().all()
    assert regions[:, :there].T.tolist() == assignments[order[:there]].tolist()


def test_graphs_of_a_batch_are_decoded_apart():
    torch.manual_seed(0)
    unary, pairwise, edges = torch.randn(7, 5), torch.randn(4, 5, 5), torch.tensor([[0, 1], [2, 1], [6, 4], [3, 5]])
    graph = torch.tensor([0, 0, 0, 2, 1, 2, 1])
    regions, found = best_joint(unary, pairwise, edges, graph, 6)
    for number in range(3):
        own = (graph == number).nonzero().squeeze(1)
        inside = (graph[edges] == number).all(1)
        renamed = torch.searchsorted(own, edges[inside])
        alone = best_joint(unary[own], pairwise[inside], renamed, torch.zeros_like(own), 6)
        torch.testing.assert_close(found[number], alone[1][0])
        assert regions[own].tolist() == alone[0].tolist()
    assert regions[:, 0].tolist() == joint_map(unary, pairwise, edges).tolist()


@settings(deadline=None, max_examples=20)
@given(forests(most_nodes=4, most_regions=3), st.booleans())
def test_gradients_are_exact(forest, masked):
    unary, pairwise, edges = forest
    assume(len(edges) > 0)  # gradcheck takes no empty input
    mask = torch.zeros_like(unary)
    if masked and unary.shape[1] > 1:
        mask[0, 0] = -torch.inf
    finite = mask == 0

    def marginals(unary, pairwise):
        return log_marginals(unary + mask, pairwise, edges)[finite]

    assert torch.autograd.gradcheck(marginals, (unary.requires_grad_(), pairwise.requires_grad_()))


@pytest.mark.parametrize("seed", range(5))
def test_marginals_and_map_equal_pgmpys(seed):
    """pgmpy is an independent implementation; on trees of five nodes."""
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.inference import BeliefPropagation
    from pgmpy.models import DiscreteMarkovNetwork

    torch.manual_seed(seed)
    edges = torch.tensor([(0, 1), (2, 1), (2, 3), (4, 2)])
    unary, pairwise = torch.randn(5, 6, dtype=torch.float64), torch.randn(4, 6, 6, dtype=torch.float64)
    network = DiscreteMarkovNetwork([(str(one), str(other)) for one, other in edges.tolist()])
    for node, values in enumerate(unary.exp().numpy()):
        network.add_factors(DiscreteFactor([str(node)], [6], values))
    for (one, other), values in zip(edges.tolist(), pairwise.exp().numpy(), strict=True):
        network.add_factors(DiscreteFactor([str(one), str(other)], [6, 6], values))
    theirs = BeliefPropagation(network)
    marginals = log_marginals(unary, pairwise, edges).exp()
    for node in range(5):
        answer = theirs.query([str(node)], show_progress=False)
        answer.normalize()
        torch.testing.assert_close(marginals[node], torch.from_numpy(answer.values), rtol=0, atol=1e-9)
    best = theirs.map_query([str(node) for node in range(5)], show_progress=False)
    assert joint_map(unary, pairwise, edges).tolist() == [best[str(node)] for node in range(5)]


@pytest.mark.parametrize("scale", [1.0, 8.0, 100.0])
def test_single_precision_is_off_by_little_more_than_the_scores_own_rounding(scale):
    torch.manual_seed(0)
    unary, pairwise = torch.randn(5, 36) * scale, torch.randn(4, 36, 36) * scale
    edges = torch.tensor([(0, 1), (2, 1), (2, 3), (4, 2)])
    exact = log_marginals(unary.double(), pairwise.double(), edges)
    torch.testing.assert_close(log_marginals(unary, pairwise, edges).double(), exact, rtol=0, atol=3e-6 * scale)


def test_a_fully_blocked_branch_has_finite_gradients():
    unary = torch.tensor([[0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    pairwise = torch.tensor([[[0.0, 0.0], [-torch.inf, -torch.inf]]])
    marginals = log_marginals(unary, pairwise, torch.tensor([[0, 1]]))
    assert marginals[0].tolist() == [0.0, -torch.inf]
    marginals[1].sum().backward()
    assert unary.grad.isfinite().all()


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 0)], [(0, 0)]])
def test_a_cycle_is_refused(edges):
    with pytest.raises(ValueError, match="cycle"):
        log_marginals(torch.zeros(3, 2), torch.zeros(len(edges), 2, 2), torch.tensor(edges))


def test_an_unknown_node_is_refused():
    with pytest.raises(ValueError, match="not among the 2"):
        joint_map(torch.zeros(2, 3), torch.zeros(1, 3, 3), torch.tensor([[0, 2]]))


def test_a_graph_without_edges_is_its_unary_potential():
    unary = torch.randn(3, 5)
    edges = torch.empty(0, 2, dtype=torch.long)
    torch.testing.assert_close(log_marginals(unary, torch.empty(0, 5, 5), edges), unary.log_softmax(1))
