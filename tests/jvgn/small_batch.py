"""A mini-batch made by hand, without files: two images, three expressions, padding of words and of regions."""

import numpy as np
import torch

from jvgn.batches import Batch, make_batch
from jvgn.factor_graph import FactorGraphs, factor_graph
from jvgn.model import JVGN
from jvgn.regions.hdf5_store import Regions
from jvgn.vocabulary.words import Vocabulary
from parsers.scene_graph import Edge, Node, SceneGraph

WORDS = ["<pad>", "<unk>", "the", "white", "man", "left", "of", "red", "car", "dog", "near", "tree", "with", "hat"]
SENTENCES = (
    # Nodes are (head token, all tokens), edges are (subject, object, tokens); the first node is the referent.
    ("the white man left of the red car", [(2, (1, 2)), (7, (6, 7))], [(0, 1, (3, 4))]),
    ("dog", [(0, (0,))], []),
    (
        "man with red hat near dog left of tree",
        [(0, (0,)), (3, (2, 3)), (5, (5,)), (8, (8,))],
        [(0, 1, (1,)), (2, 0, (4,)), (2, 3, (6, 7))],
    ),
)
IMAGE_S = np.array([0, 1, 1])
COUNTS = (3, 4)
FEATURE, SPATIAL, HIDDEN, WORD = 6, 3, 4, 5


def scene_graph(sentence: str, nodes: list, edges: list) -> SceneGraph:
    words = tuple(sentence.split())
    return SceneGraph(
        words,
        tuple(Node(words[head], head, (), tokens) for head, tokens in nodes),
        tuple(Edge(subject, words[tokens[0]], object_, tokens) for subject, object_, tokens in edges),
        referent=0,
    )


def random_images(counts=COUNTS, seed=0) -> list[Regions]:
    random = np.random.default_rng(seed)
    return [random_regions(random, count) for count in counts]


def small_batch(sentences=SENTENCES, image_S=IMAGE_S, images=None, rules=()) -> Batch:
    """A mini-batch of these sentences about these images; the first region of each image is gold."""
    images = random_images() if images is None else images
    graphs = joined([factor_graph(scene_graph(*sentence), Vocabulary(WORDS)) for sentence in sentences])
    forest = graphs.forest(np.arange(len(sentences)))
    return make_batch(
        forest=forest,
        row_S=np.arange(len(sentences)),
        image_S=np.asarray(image_S),
        regions=images,
        sizes=[(100, 50)] * len(images),
        labelled_G=forest.referent_S,
        targets=[np.eye(len(images[image]), dtype=np.float32)[0] for image in image_S],
        right=[np.eye(len(images[image]), dtype=bool)[0] for image in image_S],
        rules=rules,
    )


def joined(graphs: list[FactorGraphs]) -> FactorGraphs:
    """Several graphs as one table, as `read_factor_graphs` would read them."""
    flat = {name: np.concatenate([getattr(graph, name) for graph in graphs]) for name in vars(graphs[0])}
    for name in flat:
        if name.endswith("1"):  # starts: the differences lie end to end
            counts = np.concatenate([np.diff(getattr(graph, name)) for graph in graphs])
            flat[name] = np.concatenate([[0], counts.cumsum()])
    return FactorGraphs(**flat)


def random_regions(random: np.random.Generator, count: int) -> Regions:
    corner = random.uniform(0, 40, (count, 2))
    box = np.concatenate([corner, corner + random.uniform(1, 10, (count, 2))], axis=1)
    return Regions(
        box=box.astype(np.float32),
        feature=random.normal(size=(count, FEATURE)).astype(np.float32),
        score=np.ones(count, np.float32),
        label=np.ones(count, np.int32),
        object_id=np.arange(count),
    )


def double(batch: Batch) -> Batch:
    return batch.each(lambda value: value.double() if value.is_floating_point() else value)


def small_model(seed: int = 0) -> JVGN:
    torch.manual_seed(seed)
    vectors = torch.randn(len(WORDS), WORD)
    return JVGN(vectors, FEATURE, SPATIAL, HIDDEN, layers=2).double().eval()
