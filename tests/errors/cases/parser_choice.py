"""The parser that is named, its options, and the stage that runs it."""

from importlib.metadata import PackageNotFoundError

from jvgn.graphs import parsing as stage
from jvgn.graphs.parsing import EXPRESSIONS, GraphFiles, parse_expressions
from jvgn.storage.parquet import write_table
from parsers.parser import Parser
from parsers.words import brill
from tests.errors.case import Bench, Case

OUTPUT = ["nodes.parquet", "edges.parquet", "coverage.json"]
MERGED = ["--nodes", "nodes.parquet", "--edges", "edges.parquet", "--coverage", "coverage.json"]


def parsed_with(*options):
    """A case's arguments: a sentence parsed with these options."""
    return lambda bench: ["parse", *options, expressions(bench, ["a", "dog"]), *OUTPUT]


def expressions(bench: Bench, *sentences):
    path = bench.folder / "expressions.parquet"
    write_table(path, {"expression_id": range(len(sentences)), "tokens": sentences}, EXPRESSIONS)
    return path


def with_settings(text: str):
    return lambda bench: parsed_with("--settings", bench.write("settings.yaml", text))(bench)


def without_textblob(bench: Bench):
    def missing(name):
        raise PackageNotFoundError(name)

    bench.patch.setattr(brill.metadata, "distribution", missing)
    bench.patch.setattr(brill, "lexicon", brill.lexicon.__wrapped__)  # what other tests have read already
    return ["parse", expressions(bench, ["a", "quoxing", "dog"]), *OUTPUT]


def too_long(bench: Bench):
    bench.patch.setattr(stage, "MOST_TOKENS", 3)
    return ["parse", expressions(bench, ["a", "very", "small", "dog"]), *OUTPUT]


def shards(bench: Bench, **sentences):
    """A folder of graphs for each sentence."""
    for name, tokens in sentences.items():
        parse_expressions(expressions(bench, tokens), GraphFiles.within(bench.folder / name), Parser("lexical"))
    return [bench.folder / name for name in sentences]


def foreign_shard(bench: Bench):
    return ["merge", *MERGED, *shards(bench, one=["dog"], other=["cat"])]


def broken_coverage(bench: Bench):
    (shard,) = shards(bench, one=["dog"])
    bench.write("one/coverage.json", '{"expressions": 1}')
    return ["merge", *MERGED, shard]


CASES = [
    Case("there is no parser …; there are: …", parsed_with("--backend", "oracle"), "parsers"),
    Case("option …: expected key=value, such as models=resources/stanza", parsed_with("--option", "models"), "parsers"),
    Case("the parser …: …; its options are: …", parsed_with("--option", "colour=red"), "parsers"),
    # Names that our own functions have for other things are no options either.
    Case("the parser …: …; its options are: …", parsed_with("--option", "name=red"), "parsers"),
    Case("the parser …: …; its options are: …", lambda bench: ["graph", "a dog", "--option", "text=red"]),
    Case("the parser …: …; its options are: …", lambda bench: ["graph", "a dog", "--option", "backend=red"]),
    Case(
        "the parser …: …: expected a text, found …",
        parsed_with("--backend", "conllu", "--option", "parses=true"),
        "parsers",
    ),
    Case("…: cannot be read as YAML (…); check the file", with_settings("backend: [lexical"), "parsers"),
    Case("…: expected the key backend; write it as: backend: lexical", with_settings("parser: lexical"), "parsers"),
    Case(
        "…: …: expected a text, true or false, found …; check the file",
        with_settings("backend: stanza\nmodels: [a, b]"),
        "parsers",
    ),
    Case("the lexical parser needs a lexicon: pip install textblob", without_textblob, "parsers"),
    Case("shard …: expected N/M with N from 1 to M, such as 2/8", parsed_with("--shard", "9/8"), "parsers"),
    Case(
        "…: expression … has no tokens; delete it and run the workflow again",
        lambda bench: ["parse", expressions(bench, []), *OUTPUT],
        "parsers",
    ),
    Case("…: expression … has more than … tokens; leave it out", too_long, "parsers"),
    Case("…: made by …, but … by …; delete it and run the workflow again", foreign_shard, "parsers"),
    Case("…: not a coverage.json (…); delete it and run the workflow again", broken_coverage, "parsers"),
]
