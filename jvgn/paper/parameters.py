"""The model's layers with their shapes and numbers of parameters, as in the paper's appendix."""

from dataclasses import dataclass

import torch
from torch import nn

from jvgn.model import JVGN, Sizes
from jvgn.settings.run import ModelSettings
from jvgn.storage.shown_text import aligned
from jvgn.training.checkpoint import rival


@dataclass(frozen=True)
class Layer:
    """A layer of the network and the number of its parameters."""

    name: str
    shape: str
    parameters: int


def layers(settings: ModelSettings, words: int, vector_size: int, feature_size: int) -> list[Layer]:
    """Return the model's layers, counted on a model that takes no memory."""
    if settings.kind != "jvgn":
        return parts_of_rival(settings, words, vector_size, feature_size)
    with torch.device("meta"):
        model = JVGN(
            torch.empty(words, vector_size),
            feature_size,
            **settings.model_dump(exclude={"kind", "words", "position_scale"}),
        )
    stacks = (model.language.forward_stack, model.language.backward_stack)
    recurrent = count(*stacks)
    # In the paper, a gate has one bias; in PyTorch two, which are added.
    second_biases = sum(
        value.numel() for stack in stacks for name, value in stack.named_parameters() if name.startswith("bias_hh")
    )
    size = f"{settings.layers} × {settings.hidden_size} LSTM, forward and backward"
    return [
        Layer("position of a region", linear(model.position), count(model.position)),
        Layer("word vectors", f"{words}×{vector_size}", count(model.language.embedding)),
        Layer("sentence", size, recurrent - second_biases),
        Layer("sentence, PyTorch's second biases", "", second_biases),
        Layer("unary: projection", linear(model.unary.project), count(model.unary.project)),
        Layer("unary: score", linear(model.unary.score), count(model.unary.score)),
        Layer("pairwise: projection", linear(model.pairwise.project), count(model.pairwise.project)),
        Layer("pairwise: score", linear(model.pairwise.score), count(model.pairwise.score)),
        Layer("all", "", count(model)),
    ]


def parts_of_rival(settings: ModelSettings, words: int, vector_size: int, feature_size: int) -> list[Layer]:
    sizes = Sizes(feature_size, settings.spatial_size, settings.hidden_size, settings.layers)
    with torch.device("meta"):
        model = rival(settings.kind)(torch.empty(words, vector_size), sizes)
    parts = [Layer(name, "", count(part)) for name, part in model.named_children() if count(part)]
    return [*parts, Layer("all", "", count(model))]


def linear(layer: nn.Linear) -> str:
    return f"{layer.in_features}×{layer.out_features}+{layer.out_features}"


def count(*modules: nn.Module) -> int:
    return sum(value.numel() for module in modules for value in module.parameters())


def description(found: list[Layer]) -> list[str]:
    """Return the layers in aligned columns, a line each."""
    rows = [(layer.name, layer.shape, f"{layer.parameters:,}") for layer in found]
    return aligned([("layer", "shape", "parameters"), *rows], words=2)
