"""Belief propagation against its plain definition: listing every joint assignment."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jvgn.belief_propagation import joint_map, log_marginals


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
    scale = draw(st.sampled_from([0.1, 1.0, 30.0]))
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
