"""A belief must not depend on the order of regions, nodes and expressions, on padding, or on the rest of a mini-batch.

And what must change the weights: gradients, against finite differences, and learning.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from jvgn.belief_propagation import joint_map, log_marginals, sum_product
from jvgn.message_schedule import grouping_of, message_schedule
from jvgn.model import divergence
from jvgn.potentials import PairwisePotential, UnaryPotential
from tests.jvgn.small_batch import IMAGE_S, SENTENCES, double, random_images, small_batch, small_model
from tests.jvgn.test_belief_propagation import forests


def beliefs(batch, seed=0):
    with torch.no_grad():
        return small_model(seed)(double(batch))


def reordered(sentence, order):
    """The sentence with its nodes in another order; edges follow their nodes."""
    text, nodes, edges = sentence
    place = {node: number for number, node in enumerate(order)}
    return text, [nodes[node] for node in order], [(place[one], place[other], words) for one, other, words in edges]


def taken(regions, order):
    return replace(regions, **{name: value[order] for name, value in vars(regions).items()})


def test_the_order_of_regions_only_reorders_beliefs():
    images = random_images()
    orders = [[2, 0, 1], [3, 1, 0, 2]]
    plain = beliefs(small_batch(images=images))
    shuffled = beliefs(small_batch(images=[taken(*pair) for pair in zip(images, orders, strict=True)]))
    for node, image in enumerate(double(small_batch()).image_K.tolist()):
        order = orders[image]
        torch.testing.assert_close(shuffled.marginal_KN[node, : len(order)], plain.marginal_KN[node, order])
        torch.testing.assert_close(shuffled.unary_KN[node, : len(order)], plain.unary_KN[node, order])
        assert order[shuffled.map_K[node]] == plain.map_K[node]


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 3, 0, 2)])
def test_the_order_of_nodes_only_reorders_beliefs(order):
    plain, batch = beliefs(small_batch()), small_batch(sentences=(*SENTENCES[:2], reordered(SENTENCES[2], order)))
    found = beliefs(batch)
    first = 3  # the nodes of the third expression
    torch.testing.assert_close(found.marginal_KN[first:], plain.marginal_KN[first:][list(order)])
    assert found.map_K[first:].tolist() == plain.map_K[first:][list(order)].tolist()


def test_the_order_of_edges_changes_nothing():
    text, nodes, edges = SENTENCES[2]
    found = beliefs(small_batch(sentences=(*SENTENCES[:2], (text, nodes, edges[::-1]))))
    torch.testing.assert_close(found.marginal_KN, beliefs(small_batch()).marginal_KN)


def test_the_order_of_expressions_only_reorders_beliefs():
    order = [2, 0, 1]
    batch = small_batch(sentences=[SENTENCES[row] for row in order], image_S=IMAGE_S[order])
    found, plain = beliefs(batch), beliefs(small_batch())
    node_order = [3, 4, 5, 6, 0, 1, 2]
    torch.testing.assert_close(found.marginal_KN, plain.marginal_KN[node_order])
    torch.testing.assert_close(found.map_K, plain.map_K[node_order])


def test_the_order_of_images_changes_no_belief():
    images = random_images()
    found = beliefs(small_batch(images=images[::-1], image_S=1 - IMAGE_S))
    torch.testing.assert_close(found.marginal_KN, beliefs(small_batch(images=images)).marginal_KN)


@pytest.mark.parametrize("expression", range(3))
def test_an_expression_alone_has_the_beliefs_that_it_has_in_company(expression):
    """Alone, there is no padding: neither of words nor of regions."""
    images, batch = random_images(), small_batch()
    image = IMAGE_S[expression]
    alone = beliefs(small_batch([SENTENCES[expression]], [0], [images[image]]))
    own = batch.expression_K == expression
    regions = len(images[image])
    together = beliefs(batch)
    torch.testing.assert_close(alone.marginal_KN, together.marginal_KN[own][:, :regions])
    torch.testing.assert_close(alone.unary_KN, together.unary_KN[own][:, :regions])
    assert together.marginal_KN[own][:, regions:].isneginf().all()


def test_the_values_of_padding_change_nothing():
    batch = double(small_batch())
    feature_IND, spatial_IN5 = batch.feature_IND.clone(), batch.spatial_IN5.clone()
    feature_IND[~batch.present_IN], spatial_IN5[~batch.present_IN] = 7.0, -3.0
    torch.testing.assert_close(
        beliefs(replace(batch, feature_IND=feature_IND, spatial_IN5=spatial_IN5)).marginal_KN,
        beliefs(batch).marginal_KN,
    )


def test_direction_matters():
    """Eq. (10) keeps the direction of a relation: "man left of car" is not "car left of man"."""
    text, nodes, [(subject, object_, words)] = SENTENCES[0]
    turned = beliefs(small_batch(sentences=((text, nodes, [(object_, subject, words)]), *SENTENCES[1:])))
    assert (turned.marginal_KN[:2] - beliefs(small_batch()).marginal_KN[:2]).abs().nan_to_num().max() > 1e-3


def test_a_turned_edge_with_turned_scores_is_the_same_factor():
    torch.manual_seed(0)
    unary_KN, pairwise_ENN = torch.randn(4, 3).double(), torch.randn(3, 3, 3).double()
    edges_E2 = torch.tensor([(0, 1), (2, 0), (2, 3)])
    turned = log_marginals(unary_KN, pairwise_ENN.transpose(1, 2), edges_E2.flip(1))
    torch.testing.assert_close(turned, log_marginals(unary_KN, pairwise_ENN, edges_E2))


@settings(deadline=None, max_examples=60)
@given(forests(masked=True), st.floats(-50, 50), st.randoms())
def test_constants_added_to_a_factor_change_no_marginal(forest, constant, random):
    unary, pairwise, edges = forest
    expected = log_marginals(unary, pairwise, edges)
    node = random.randrange(len(unary))
    moved = unary.clone()
    moved[node] += constant
    torch.testing.assert_close(log_marginals(moved, pairwise, edges), expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(log_marginals(unary, pairwise + constant, edges), expected, rtol=1e-9, atol=1e-9)


@settings(deadline=None, max_examples=100)
@given(forests(masked=True))
def test_without_repair_marginals_are_the_same_or_nan(forest):
    """A step that does not look at values never gives a wrong number."""
    unary, pairwise, edges = forest
    schedule = message_schedule(len(unary), edges.numpy())
    expected, found = log_marginals(*forest), sum_product(unary, pairwise, schedule, repair=False)
    assert ((found == expected) | found.isnan()).all()
    if unary.nan_to_num(neginf=0).abs().max() < 5 and pairwise.isfinite().all() and pairwise.abs().sum() < 15:
        assert torch.equal(found, expected)


@settings(deadline=None, max_examples=60)
@given(forests())
def test_a_schedule_made_beforehand_changes_nothing(forest):
    unary, pairwise, edges = forest
    schedule = message_schedule(len(unary), edges.numpy())
    assert torch.equal(log_marginals(*forest), log_marginals(unary, pairwise, schedule))
    assert torch.equal(joint_map(*forest), joint_map(unary, pairwise, schedule))
    heard = set()
    for level in schedule:  # a child speaks once, after all its own children
        assert len(set(level.child_F.tolist())) == len(level.child_F) and not heard & set(level.child_F.tolist())
        assert not heard & set(level.parent_F.tolist())
        heard |= set(level.child_F.tolist())


# Gradients


IMAGES = torch.tensor([1, 0, 1, 2])


@pytest.mark.parametrize("potential", [UnaryPotential, PairwisePotential])
def test_gradients_of_potentials_equal_finite_differences(potential):
    torch.manual_seed(0)
    layer = potential(4, 5).double()
    x_INX = torch.randn(3, 3, 4, dtype=torch.float64, requires_grad=True)
    w_KL = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    parameters = {name: value.detach().clone().requires_grad_() for name, value in layer.named_parameters()}

    def logits(x_INX, w_KL, *values):
        given = dict(zip(parameters, values, strict=True))
        return torch.func.functional_call(layer, given, (x_INX, w_KL, IMAGES))

    assert torch.autograd.gradcheck(logits, (x_INX, w_KL, *parameters.values()))


def test_gradients_of_cancelling_pairs_equal_finite_differences():
    """B_o = −B_s and duplicate regions: these pairs are computed term by term."""
    torch.manual_seed(0)
    layer = PairwisePotential(4, 5).double()
    layer.project.weight.data[:, 4:] = -layer.project.weight.data[:, :4]
    layer.project.bias.data.mul_(0.05)
    x_INX = torch.randn(1, 3, 4, dtype=torch.float64)
    x_INX[0, 1] = x_INX[0, 0]
    w_EL = torch.randn(1, 5, dtype=torch.float64)
    image_E = torch.zeros(1, dtype=torch.long)
    lost_ENN = layer.logits(x_INX, w_EL, grouping_of(image_E, 1), repair=False).isnan()
    assert lost_ENN[0, 0, 1] and lost_ENN[0, 1, 0] and lost_ENN[0].diagonal().all() and not lost_ENN.all()
    leaves = (x_INX.requires_grad_(), w_EL.requires_grad_())
    assert torch.autograd.gradcheck(lambda x_INX, w_EL: layer(x_INX, w_EL, image_E), leaves)


def test_gradients_of_the_whole_loss_equal_finite_differences():
    model, batch = small_model(), double(small_batch())
    names = ["position.weight", "unary.score.weight", "pairwise.project.weight", "pairwise.score.weight"]
    values = [model.get_parameter(name).detach().clone().requires_grad_() for name in names]

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self):
            return divergence(self.model.log_probability(batch, batch.referent_S, True), batch.target_GN)

    def losses(*values):
        given = {f"model.{name}": value for name, value in zip(names, values, strict=True)}
        return torch.func.functional_call(Loss(), given, ())

    assert torch.autograd.gradcheck(losses, tuple(values))


def test_context_has_a_gradient_although_only_the_referent_is_labelled():
    model, batch = small_model(), double(small_batch())
    unary_KN, pairwise_ENN = (value.detach().requires_grad_() for value in model.potentials(batch))
    marginal_KN = log_marginals(unary_KN, pairwise_ENN, batch.edges_E2)
    divergence(marginal_KN[batch.referent_S], batch.target_GN).sum().backward()
    context = [1, 4, 5, 6]  # the last is two edges away from its referent, where little arrives
    assert (unary_KN.grad[context].abs().sum(1) > 1e-6).all()
    assert (pairwise_ENN.grad.abs().sum((1, 2)) > 1e-6).all()


@pytest.mark.parametrize("potential", [UnaryPotential, PairwisePotential])
def test_a_grouping_made_beforehand_changes_nothing(potential):
    torch.manual_seed(0)
    layer, x_INX, w_KL = potential(4, 5), torch.randn(3, 6, 4), torch.randn(4, 5)
    assert torch.equal(layer(x_INX, w_KL, IMAGES), layer(x_INX, w_KL, grouping_of(IMAGES, 3)))


@settings(max_examples=50)
@given(st.lists(st.integers(0, 4), max_size=12))
def test_grouped_rows_are_spread_and_collected_again(images):
    image_K = torch.tensor(images, dtype=torch.long)
    group = grouping_of(image_K, 5)
    value_KL = torch.arange(1.0, 2 * len(images) + 1).reshape(-1, 2)
    spread_IJL = group.spread(value_KL)
    assert group.size == max(np.bincount(images, minlength=5), default=0)
    assert torch.equal(group.collect(spread_IJL), value_KL)
    for image in range(5):  # in the order of the rows, then zeros
        own = value_KL[image_K == image]
        assert torch.equal(spread_IJL[image, : len(own)], own) and not spread_IJL[image, len(own) :].any()


# Learning


def test_a_small_model_learns_the_referents_of_its_mini_batch():
    model, batch = small_model().train(), double(small_batch())
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(150):
        optimiser.zero_grad()
        loss = divergence(model.log_probability(batch, batch.referent_S, marginalise=True), batch.target_GN).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    assert model(batch).regions("marginal")[batch.referent_S].tolist() == [0, 0, 0]


def test_context_without_labels_is_learned_from_referents():
    """Two dogs look the same; the gold one is near the tree, and a car is anywhere. Only the tree tells which dog."""
    random = np.random.default_rng(0)
    sentence = ("dog near tree", [(0, (0,)), (2, (2,))], [(0, 1, (1,))])
    images = []
    for regions in random_images([4] * 24):
        feature = np.zeros_like(regions.feature)
        feature[[0, 1], 0] = 1  # dogs
        feature[[2, 3], [1, 2]] = 1  # a tree, a car
        feature += 0.05 * random.normal(size=feature.shape)
        left = random.choice([10.0, 70.0])
        corner = np.array([[left, 10], [80 - left, 10], [left + 4, 12], [random.choice([14.0, 74.0]), 12]])
        images.append(replace(regions, feature=feature.astype(np.float32), box=boxes_at(corner)))
    batch = double(small_batch([sentence] * 24, np.arange(24), images))
    model = small_model().train()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(200):
        optimiser.zero_grad()
        divergence(model.log_probability(batch, batch.referent_S, marginalise=True), batch.target_GN).mean().backward()
        optimiser.step()
    with torch.no_grad():
        region_K = model(batch).regions("marginal")
    assert (region_K[batch.referent_S] == 0).double().mean() > 0.95
    is_context_K = ~torch.isin(torch.arange(len(region_K)), batch.referent_S)
    assert (region_K[is_context_K] == 2).double().mean() > 0.95


def boxes_at(corner_N2):
    return np.concatenate([corner_N2, corner_N2 + 8], axis=1).astype(np.float32)
