"""Mini-batches about scenes that a rival can learn within seconds: each region shows its kind, and boxes are random."""

from functools import cache

import numpy as np
import torch

from jvgn.batches import Batch, make_batch
from jvgn.factor_graph import factor_graph
from jvgn.model import Sizes
from jvgn.regions.hdf5_store import Regions
from jvgn.rivals.rival import Rival
from jvgn.training.checkpoint import rival
from jvgn.vocabulary.words import Vocabulary
from tests.jvgn.small_batch import joined, scene_graph

OBJECTS = ("dog", "cat", "cow", "pig")
WORDS = ["<pad>", "<unk>", "the", "near", *OBJECTS]
IMAGES, REGIONS = 96, 4


def about_one(random: np.random.Generator) -> tuple[str, list, list, np.ndarray, np.ndarray]:
    """ "The dog" among four different animals."""
    kind_N = random.permutation(len(OBJECTS))
    return f"the {OBJECTS[kind_N[0]]}", [(1, (0, 1))], [], kind_N, random.uniform(0, 1, REGIONS)


def about_two(random: np.random.Generator) -> tuple[str, list, list, np.ndarray, np.ndarray]:
    """ "The dog near the cat": one of two dogs is, the other one is near a third animal."""
    this, other, third = random.permutation(len(OBJECTS))[:3]
    left, right = random.uniform(0, 0.3), random.uniform(0.7, 1)
    near, far = (left, right) if random.integers(2) else (right, left)
    x_N = np.array([near, far, near, far]) + random.uniform(-0.1, 0.1, REGIONS)
    sentence = f"the {OBJECTS[this]} near the {OBJECTS[other]}"
    return sentence, [(1, (0, 1)), (4, (3, 4))], [(0, 1, (2,))], np.array([this, this, other, third]), x_N


@cache
def batch_about(told, seed: int, images: int = IMAGES) -> Batch:
    """Return a mini-batch of one sentence for each image; its first region is the referent."""
    random = np.random.default_rng(seed)
    stories = [told(random) for _ in range(images)]
    graphs = joined([factor_graph(scene_graph(*story[:3]), Vocabulary(WORDS)) for story in stories])
    forest = graphs.forest(np.arange(images))
    gold_N = np.eye(REGIONS, dtype=np.float32)[0]
    return make_batch(
        forest=forest,
        row_S=np.arange(images),
        image_S=np.arange(images),
        regions=[regions(kind_N, x_N) for *_, kind_N, x_N in stories],
        sizes=[(100, 50)] * images,
        labelled_G=forest.referent_S,
        targets=[gold_N] * images,
        right=[gold_N.astype(bool)] * images,
    )


def regions(kind_N: np.ndarray, x_N: np.ndarray) -> Regions:
    corner_N2 = np.stack([90 * x_N, np.full(len(x_N), 20.0)], axis=1)
    return Regions(
        box=np.concatenate([corner_N2, corner_N2 + 8], axis=1).astype(np.float32),
        feature=np.eye(len(OBJECTS), dtype=np.float32)[kind_N],
        score=np.ones(len(kind_N), np.float32),
        label=np.ones(len(kind_N), np.int32),
        object_id=np.arange(len(kind_N)),
    )


def new_rival(kind: str, seed: int = 0) -> Rival:
    torch.manual_seed(seed)
    sizes = Sizes(feature=len(OBJECTS), spatial=8, hidden=16, layers=1)
    return rival(kind)(torch.randn(len(WORDS), 24) / 3, sizes)


def accuracy_after_training(kind: str, told, steps: int) -> float:
    """Return the share of referents that a rival finds in scenes that it was not trained on."""
    model = new_rival(kind)
    batches = [batch_about(told, seed) for seed in range(8)]
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        batch = batches[step % len(batches)]
        loss = model.loss(batch, model(batch)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        return float((model.eval()(batch_about(told, 99)).referent_SN.argmax(dim=1) == 0).float().mean())
