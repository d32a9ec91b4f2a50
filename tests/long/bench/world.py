"""A dataset of random regions and sentences at the paper's sizes, in the project's own files."""

from pathlib import Path

import numpy as np

from jvgn.datasets import tables
from jvgn.graphs.tables import EDGES, NODES, graph_rows
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.storage.parquet import write_table
from jvgn.training.examples import Inputs
from jvgn.vocabulary.words import build_vectors, build_vocabulary
from parsers.scene_graph import Edge, Node, SceneGraph

WORDS = [f"word{number}" for number in range(2000)]
EXPRESSIONS_AN_IMAGE = 4
SENTENCE_WORDS = 9


def write_world(folder: Path, images: int, regions: int, feature_size: int) -> Inputs:
    """Images of so many regions, each with four sentences of three nodes and two edges; half train, half val."""
    random = np.random.default_rng(0)
    inputs = Inputs(
        dataset=folder,
        regions=folder / "regions.h5",
        nodes=folder / "nodes.parquet",
        edges=folder / "edges.parquet",
        words=folder / "words.parquet",
        vectors=folder / "vectors.npy",
    )
    image_ids = range(1, images + 1)
    corner = random.integers(0, 300, (images, regions, 2))
    box = np.concatenate([corner, corner + random.integers(20, 200, corner.shape)], axis=2).astype(np.float32)
    write(folder / "images.parquet", tables.IMAGES, [(image, f"{image}.jpg", 500, 500) for image in image_ids])
    objects = [
        (image * 1000 + number, image, "thing", 1, *box[image - 1, number].tolist(), False)
        for image in image_ids
        for number in range(regions)
    ]
    write(folder / "objects.parquet", tables.OBJECTS, objects)
    expressions = []
    for number in range(images * EXPRESSIONS_AN_IMAGE):
        image, split = number // EXPRESSIONS_AN_IMAGE + 1, ("train", "val")[number // EXPRESSIONS_AN_IMAGE % 2]
        tokens = random.choice(WORDS, SENTENCE_WORDS).tolist()
        referent = image * 1000 + int(random.integers(regions))
        expressions.append((number, number, image, referent, split, " ".join(tokens), tokens))
    write(folder / "expressions.parquet", tables.EXPRESSIONS, expressions)
    write(folder / "mentions.parquet", tables.MENTIONS, [(0, 0, expressions[0][3], True)])
    nodes, edges = graph_rows([row[0] for row in expressions], [graph(row[6]) for row in expressions])
    write_table(inputs.nodes, nodes, NODES)
    write_table(inputs.edges, edges, EDGES)
    vocabulary = build_vocabulary(folder / "expressions.parquet", inputs.words, more_often_than=0, splits="all")
    build_vectors(vocabulary, inputs.vectors, size=300, glove=None, seed=0)
    with RegionWriter(inputs.regions, feature_size, "float16", {"setting": "gt", "dataset": "bench"}) as writer:
        for image in image_ids:
            feature = random.random((regions, feature_size), dtype=np.float32).astype(np.float16)
            object_id = image * 1000 + np.arange(regions)
            whole = np.ones(regions, np.float32)
            writer.append(image, Regions(box[image - 1], feature, whole, whole.astype(np.int32), object_id))
    return inputs


def graph(tokens: list[str]) -> SceneGraph:
    """Three nodes of two words in a chain, joined by edges of a word."""
    nodes = tuple(Node(tokens[3 * k], 3 * k, (), (3 * k, 3 * k + 1)) for k in range(3))
    edges = tuple(Edge(k, tokens[3 * k + 2], k + 1, (3 * k + 2,)) for k in range(2))
    return SceneGraph(tuple(tokens), nodes, edges, referent=0)


def write(path: Path, schema, rows) -> None:
    write_table(path, dict(zip(schema.names, zip(*rows, strict=True), strict=True)), schema)
