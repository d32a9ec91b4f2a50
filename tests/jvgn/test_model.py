"""The language encoder and the loss against their plain definitions."""

import torch
from torch import nn

from jvgn.model import LanguageEncoder, divergence, mean_words


def test_each_word_is_read_from_both_sides_and_padding_is_not():
    torch.manual_seed(0)
    encoder = LanguageEncoder(torch.randn(9, 4), hidden_size=3, layers=2)
    words = torch.tensor([[2, 3, 4, 5], [6, 7, 0, 0]])
    found = encoder(words, torch.tensor([4, 2]))
    assert found.shape == (2, 4, 3 + 3 + 4)
    for row, length in enumerate((4, 2)):
        alone = encoder.embedding(words[row : row + 1, :length])
        forward, _ = encoder.forward_stack(alone)
        backward, _ = encoder.backward_stack(alone.flip(1))
        expected = torch.cat([forward, backward.flip(1), alone], dim=-1)[0]
        torch.testing.assert_close(found[row, :length], expected)


def test_the_papers_encoder_has_the_papers_parameters():
    encoder = LanguageEncoder(torch.zeros(6894, 300), hidden_size=1024, layers=2)
    stacks = sum(
        parameter.numel() for parameter in (*encoder.forward_stack.parameters(), *encoder.backward_stack.parameters())
    )
    second_biases = 2 * 2 * 4 * 1024
    assert round((stacks - second_biases) / 1e6, 2) == 27.64
    assert encoder.size == 2348


def test_nodes_are_the_mean_of_their_words():
    words = torch.tensor([[1.0], [3.0], [8.0]])
    assert mean_words(words, torch.tensor([0, 1, 2]), torch.tensor([0, 0, 1]), 2).tolist() == [[2.0], [8.0]]


def test_the_loss_is_the_divergence_from_the_target():
    log_probability = torch.randn(3, 4, requires_grad=True).log_softmax(1)
    soft = torch.tensor([0.5, 0.25, 0.25, 0.0])
    target = torch.stack([torch.tensor([0.0, 1.0, 0.0, 0.0]), soft, torch.zeros(4)])
    loss = divergence(log_probability, target)
    torch.testing.assert_close(loss[0], -log_probability[0, 1])
    torch.testing.assert_close(loss[1], nn.functional.kl_div(log_probability[1], soft, reduction="sum"))
    assert loss[2] == 0


def test_masked_regions_do_not_spoil_the_gradient():
    logits = torch.tensor([[1.0, 2.0, -torch.inf]], requires_grad=True)
    divergence(logits.log_softmax(1), torch.tensor([[1.0, 0.0, 0.0]])).sum().backward()
    assert logits.grad.isfinite().all()
