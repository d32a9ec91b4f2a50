"""Messages one by one against the marginals that belief propagation computes at once."""

import numpy as np
import pytest
import torch

from jvgn.belief_propagation import log_marginals
from jvgn.views.explorer.messages import messages

FORESTS = {
    "one node": (1, []),
    "a pair": (2, [(0, 1)]),
    "a pair, said from behind": (2, [(1, 0)]),
    "a chain": (4, [(0, 1), (2, 1), (2, 3)]),
    "a star": (5, [(0, 2), (2, 1), (3, 2), (2, 4)]),
    "two trees and a node alone": (6, [(1, 0), (1, 2), (5, 4)]),
}


def random_scores(nodes, edges, masked=False, regions=5, scale=3.0):
    random = np.random.default_rng(nodes + 10 * masked)
    unary = torch.from_numpy(random.normal(size=(nodes, regions)) * scale)
    pairwise = torch.from_numpy(random.normal(size=(len(edges), regions, regions)) * scale)
    if masked:  # the last region stays open, so that some assignment exists
        unary[:, :-1][torch.from_numpy(random.random((nodes, regions - 1)) < 0.5)] = -torch.inf
        pairwise[:, :-1][torch.from_numpy(random.random((len(edges), regions - 1, regions)) < 0.4)] = -torch.inf
    return unary, pairwise, torch.tensor(edges, dtype=torch.long).reshape(-1, 2)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("forest", FORESTS)
def test_a_nodes_unary_score_and_all_its_messages_make_its_marginal(forest, masked):
    unary, pairwise, edges = random_scores(*FORESTS[forest], masked)
    marginal = log_marginals(unary, pairwise, edges)
    for root in range(len(unary)):
        sent = messages(unary, pairwise, edges, root)
        for node in range(len(unary)):
            received = [message.says_N for message in sent if message.target == node]
            sum_N = torch.stack([unary[node], *received]).sum(dim=0)
            torch.testing.assert_close(sum_N.log_softmax(dim=0), marginal[node], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (0, [(3, 2), (2, 1), (1, 0), (0, 1), (1, 2), (2, 3)]),
        (1, [(3, 2), (2, 1), (0, 1), (1, 0), (1, 2), (2, 3)]),
        (3, [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)]),
    ],
)
def test_messages_go_from_the_leaves_to_the_root_and_back(root, expected):
    unary, pairwise, edges = random_scores(*FORESTS["a chain"])
    sent = messages(unary, pairwise, edges, root)
    assert [(message.source, message.target) for message in sent] == expected
    for message in sent:
        assert {message.source, message.target} == set(edges[message.edge].tolist())


def test_a_cycle_is_refused():
    with pytest.raises(ValueError, match="cycle"):
        messages(torch.zeros(3, 2), torch.zeros(3, 2, 2), torch.tensor([[0, 1], [1, 2], [2, 0]]))
