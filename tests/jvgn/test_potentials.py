"""The factorised potentials against their plain definition, cancellation included."""

import pytest
import torch

from jvgn.potentials import PairwisePotential, UnaryPotential

REGION, LANGUAGE, REGIONS = 12, 20, 7
IMAGES = torch.tensor([0, 2, 2, 1, 0, 2])


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def inputs(dtype, region=REGION, language=LANGUAGE):
    return torch.randn(3, REGIONS, region, dtype=dtype), torch.randn(len(IMAGES), language, dtype=dtype)


def cancelling(potential):
    """The potential with B_o = −B_s: what a relation such as "left of" tends to."""
    weight = potential.project.weight.data
    weight[:, weight.shape[1] // 2 :] = -weight[:, : weight.shape[1] // 2]
    return potential


def compared(potential, x, w):
    """Logits and gradients by the factorised path and by the definition."""
    results = []
    for path in (potential, potential.direct):
        leaves = [x.clone().requires_grad_(), w.clone().requires_grad_()]
        logit = path(*leaves, IMAGES)
        parameters = [*leaves, *potential.parameters()]
        upstream = torch.linspace(-1, 2, logit.numel(), dtype=logit.dtype).reshape(logit.shape)
        results.append((logit, torch.autograd.grad(logit, parameters, upstream)))
    return results


@pytest.mark.parametrize("potential", [UnaryPotential, PairwisePotential])
def test_logits_and_gradients_equal_the_definition(potential):
    (found, found_gradients), (expected, expected_gradients) = compared(
        potential(REGION, LANGUAGE).double(), *inputs(torch.float64)
    )
    torch.testing.assert_close(found, expected)
    for one, other in zip(found_gradients, expected_gradients, strict=True):
        torch.testing.assert_close(one, other)


def test_pairs_that_cancel_keep_their_digits():
    x, w = inputs(torch.float32, 128, 256)
    x[:, 1] = x[:, 0]
    x[:, 2] = x[:, 0] + 1e-3 * torch.randn(128)
    potential = cancelling(PairwisePotential(128, 256))
    (found, found_gradients), (expected, expected_gradients) = compared(potential, x, w)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    for one, other in zip(found_gradients, expected_gradients, strict=True):
        assert (one - other).norm() <= 1e-5 * other.norm()


def test_a_pair_without_direction_has_a_finite_gradient():
    potential = cancelling(PairwisePotential(REGION, LANGUAGE))
    potential.project.bias.data.zero_()
    x = torch.ones(3, REGIONS, REGION, requires_grad=True)
    logit = potential(x, torch.ones(len(IMAGES), LANGUAGE), IMAGES)
    logit.sum().backward()
    assert logit.isfinite().all() and x.grad.isfinite().all()


@pytest.mark.parametrize("potential", [UnaryPotential, PairwisePotential])
def test_norms_stay_in_float32_under_autocast(potential):
    x, w = inputs(torch.float32)
    potential = potential(REGION, LANGUAGE)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logit = potential(x, w, IMAGES)
    assert logit.dtype == torch.float32
    torch.testing.assert_close(logit, potential(x, w, IMAGES), rtol=0, atol=0.05)


def test_no_edges_give_no_scores():
    x, w = inputs(torch.float32)
    assert PairwisePotential(REGION, LANGUAGE)(x, w[:0], IMAGES[:0]).shape == (0, REGIONS, REGIONS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("potential", "cancel"), [(UnaryPotential, False), (PairwisePotential, False), (PairwisePotential, True)]
)
def test_at_the_papers_sizes_logits_and_gradients_are_the_definitions(potential, cancel, dtype):
    """Also with B_o = −B_s and duplicate regions, where norms are differences of large numbers."""
    x, w = inputs(dtype, 2560, 2348)
    x = x.abs()  # as pooled features are
    x[:, 1] = x[:, 0]
    layer = potential(2560, 2348).to(dtype)
    layer = cancelling(layer) if cancel else layer
    (found, gradients), (expected, expected_gradients) = compared(layer, x, w)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    whole, expected_whole = (torch.cat([part.flatten() for part in parts]) for parts in (gradients, expected_gradients))
    assert (whole - expected_whole).norm() <= 1e-5 * expected_whole.norm()
    # Where norms cancel, the definition in float32 has lost digits itself: each gradient is held against float64.
    _, (exact, exact_gradients) = compared(layer.double(), x.double(), w.double())
    torch.testing.assert_close(found.double(), exact, rtol=0, atol=1e-5)
    for one, other in zip(gradients, exact_gradients, strict=True):
        assert (one - other).norm() <= 1e-5 * other.norm()


@pytest.mark.parametrize("potential", [UnaryPotential, PairwisePotential])
def test_under_autocast_the_gradient_is_near_that_of_float32(potential):
    x, w = inputs(torch.float32, 256, 128)
    layer = potential(256, 128)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        layer(x, w, IMAGES).square().sum().backward()
    rounded = layer.project.weight.grad.clone()
    layer.zero_grad()
    layer(x, w, IMAGES).square().sum().backward()
    assert (rounded - layer.project.weight.grad).norm() <= 0.03 * layer.project.weight.grad.norm()
