"""Language: sentences, trees, gold graphs, and the tables that parsing reads and writes."""

from pathlib import Path

from tests.long.fuzz.formats.cells import CONLLU, CSV, TEXT
from tests.long.fuzz.formats.parquet import PARQUET
from tests.long.fuzz.formats.trees import JSON
from tests.long.fuzz.reader import Reader
from tests.long.fuzz.world import World, copied_world

SENTENCES = """the white truck in front of the yellow one
man's red hat on the left
two dogs that are beside each other and a cat
woman holding an umbrella , which is open
"""
CONLLU_TREES = """# text = woman holding umbrella
1\twoman\twoman\tNOUN\t_\t_\t0\troot\t_\t_
2\tholding\thold\tVERB\t_\t_\t1\tacl\t_\t_
3\tumbrella\tumbrella\tNOUN\t_\t_\t2\tobj\t_\t_

1-2\tman's\t_\t_\t_\t_\t_\t_\t_\t_
1\tman\tman\tNOUN\t_\t_\t4\tnmod:poss\t_\t_
2\t's\t's\tPART\t_\t_\t1\tcase\t_\t_
3\tred\tred\tADJ\t_\t_\t4\tamod\t_\t_
4\that\that\tNOUN\t_\t_\t0\troot\t_\t_
5\ton\ton\tADP\t_\t_\t7\tcase\t_\t_
6\tthe\tthe\tDET\t_\t_\t7\tdet\t_\t_
7\tleft\tleft\tNOUN\t_\t_\t4\tnmod\t_\t_

"""
GOLD = """caption,scene_graph
a man holding a bat,"( man , hold , bat )"
"red bat, on grass","( bat , is , red ) , ( bat , on , grass )"
"""


def make_text(name: str, content: str):
    def make(folder: Path) -> list[Path]:
        (folder / name).write_text(content)
        return [folder / name]

    return make


def make_world(folder: Path) -> list[Path]:
    made = copied_world(folder)
    path = made.root / "sentences.txt"
    path.write_text(SENTENCES)
    return [path]


def read_sentence(path: Path) -> None:
    """A sentence as people type it, in both conventions and with all that is drawn of it; then what a run answers."""
    import torch

    from jvgn.grounding.answerer import Answerer, ImageRegions
    from jvgn.regions.store import RegionStore
    from jvgn.training.checkpoint import load_model
    from jvgn.views.graph_picture import as_json, dot, svg
    from parsers import parse
    from parsers.tools.graph_drawing import drawn

    made = World(path.parent)
    text = path.read_bytes().decode("utf8", "surrogateescape").split("\n")[0]
    graph = parse(text)
    for found in (graph, parse(text, conventions="factual")):
        drawn(found), svg(found), dot(found), as_json(found)
    answerer = Answerer(load_model(made.model, torch.device("cpu")), torch.device("cpu"))
    image = ImageRegions((40, 30), RegionStore(made.regions).read(1))
    answerer.answer(answerer.question(image, graph), text, best=2)


def read_sentences(path: Path) -> None:
    from parsers.lexical import parse_many
    from parsers.tools.sentences import read_sentences as read

    parse_many(read(path))


def read_trees(path: Path) -> None:
    from parsers.trees.conllu import read_trees as trees_of
    from parsers.trees.tree_graph import read

    for tree in trees_of(path).values():
        read(tree)


def read_gold(path: Path) -> None:
    from parsers.factual.scorer import read_gold as read
    from parsers.factual.scorer import score_parser, score_report
    from parsers.parser import Parser

    list(score_report(score_parser(read(path), Parser("lexical"), "factual")))


def make_expressions(folder: Path) -> list[Path]:
    return [copied_world(folder).table("expressions")]


def read_expressions(path: Path) -> None:
    """Every stage that needs nothing but the expressions."""
    from jvgn.detector.excluded_images import exclude_images
    from jvgn.graphs.parsing import GraphFiles, Shard, parse_expressions
    from jvgn.vocabulary.sweep import sweep
    from jvgn.vocabulary.words import build_vocabulary, list_missing
    from parsers.parser import Parser
    from parsers.tools.sentences import read_sentences as sentences

    folder = path.parent
    sentences(path)
    exclude_images([path], folder / "excluded.parquet")
    vocabulary = build_vocabulary(path, folder / "words.parquet", more_often_than=0, splits="all")
    list_missing(path, vocabulary, None, folder / "missing.csv")
    sweep(path, folder / "sweep.csv", "little")
    for shard in (Shard(1, 2), Shard()):
        parse_expressions(path, GraphFiles.within(folder / "graphs"), Parser("lexical"), shard=shard)


def make_graphs(folder: Path) -> list[Path]:
    made = copied_world(folder)
    return [made.nodes, made.edges]


def read_graphs(path: Path) -> None:
    from jvgn.factor_graph import read_factor_graphs
    from jvgn.graphs.parsing import GraphFiles, merge_shards
    from jvgn.vocabulary.words import Vocabulary

    made = World(path.parents[4])
    merge_shards([made.graphs], GraphFiles.within(made.root / "merged"))
    for referent in ("head", "in_degree"):
        read_factor_graphs(made.table("expressions"), made.nodes, made.edges, Vocabulary.read(made.words), referent)


def make_coverage(folder: Path) -> list[Path]:
    return [copied_world(folder).graphs / "coverage.json"]


def read_coverage(path: Path) -> None:
    from jvgn.graphs.coverage import merge_coverage
    from jvgn.planning.sizes import DRAWN, measured_language
    from jvgn.views.report.input_figures import draw_coverage
    from tests.long.fuzz.readers.results import Numbers

    made = World(path.parents[4])
    measured_language(path.parents[1], DRAWN)
    draw_coverage(made.table("expressions"), made.nodes, made.edges, path, Numbers())
    merge_coverage([path, path], path.with_name("merged.json"))


READERS = [
    Reader("a sentence", TEXT, make_world, read_sentence, share=3),
    Reader("sentences, text", TEXT, make_text("sentences.txt", SENTENCES), read_sentences, share=3),
    Reader("sentences, CSV", CSV, make_text("gold.csv", GOLD), read_sentences),
    Reader("CoNLL-U", CONLLU, make_text("trees.conllu", CONLLU_TREES), read_trees, share=5),
    Reader("FACTUAL's CSV", CSV, make_text("gold.csv", GOLD), read_gold, share=2),
    Reader("expressions, by themselves", PARQUET, make_expressions, read_expressions, share=2),
    Reader("graphs", PARQUET, make_graphs, read_graphs, share=3),
    Reader("coverage", JSON, make_coverage, read_coverage, share=2),
]
