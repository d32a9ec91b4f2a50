"""The `stanza` backend: trees of stanza's tagger and dependency parser. The only module that imports stanza.

Option `models`: a folder, either stanza's own (`resources.json` and `en/`) or a small one of three files,
`tagger.pt`, `parser.pt` and `vectors.pt`. Without it stanza's English model is downloaded, once.
Option `tags`: `lexicon` (default) corrects the tagger by the lexicon before the words are parsed, `model` does not.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parsers.errors import UserError
from parsers.lexical.tagger import tag
from parsers.scene_graph import Backend
from parsers.trees.dependencies import ROOT, Tree, TreeWord
from parsers.trees.tree_graph import read
from parsers.words.lexicon import Tag

SMALL = ("tagger.pt", "parser.pt", "vectors.pt")
OBTAINING = "`snakemake resources/stanza/en resources/stanza/resources.json` fetches them, or set the option models"
RESOURCES = {"en": {"lang_name": "English", "packages": {}, "default_processors": {}, "default_dependencies": {}}}
"""The index that stanza expects even if its models are named one by one."""
LONGEST = 200
"""Words that are parsed at a time: the parser's memory grows with the square of their number."""
BATCH = 500

Trees = Callable[[Sequence[Sequence[str]]], Iterator[Tree]]


def load(models: str = "", tags: str = "lexicon") -> Backend:
    trees = load_trees(models, tags)
    return lambda sentences: [read(tree, is_trusted=False) for tree in trees(sentences)]


def load_trees(models: str = "", tags: str = "lexicon") -> Trees:
    """Return a function that parses tokenised sentences."""
    if tags not in ("lexicon", "model"):
        raise UserError(f"the parser stanza: tags: expected lexicon or model, found {tags!r}")
    tagger, parser = pipelines(Path(models).expanduser() if models else None)

    def trees(sentences: Sequence[Sequence[str]]) -> Iterator[Tree]:
        for start in range(0, len(sentences), BATCH):
            yield from parse_batch(tagger, parser, sentences[start : start + BATCH], tags == "lexicon")

    return trees


def pipelines(folder: Path | None) -> tuple[Any, Any]:
    """Return the tagger and the parser, separate so that tags can be corrected in between."""
    try:
        import stanza
    except ImportError as error:
        raise UserError("the stanza parser needs stanza: pip install stanza") from error
    shared: dict[str, Any] = {"lang": "en", "verbose": False, "tokenize_pretokenized": True}
    tagging: dict[str, Any] = {"processors": "tokenize,pos"}
    parsing: dict[str, Any] = {"processors": "depparse", "depparse_pretagged": True}
    with tempfile.TemporaryDirectory() as empty:
        if folder is None:
            pass
        elif all((folder / name).is_file() for name in SMALL):
            Path(empty, "resources.json").write_text(json.dumps(RESOURCES), encoding="utf8")
            shared |= {"dir": empty, "package": None, "download_method": None}
            vectors = str(folder / "vectors.pt")
            tagging |= {"pos_model_path": str(folder / "tagger.pt"), "pos_pretrain_path": vectors}
            parsing |= {"depparse_model_path": str(folder / "parser.pt"), "depparse_pretrain_path": vectors}
        elif not folder.exists():
            raise UserError(f"{folder}: folder of stanza's models is missing; {OBTAINING}")
        elif (folder / "resources.json").is_file() and (folder / "en").is_dir():
            shared |= {"dir": str(folder), "download_method": None}
        else:
            raise UserError(f"{folder}: expected resources.json and en/, or {', '.join(SMALL)}; see the option models")
        try:
            return stanza.Pipeline(**shared, **tagging), stanza.Pipeline(**shared, **parsing)
        except Exception as error:  # errors of stanza, its downloader and torch have no common class
            what = f"{folder} cannot be loaded" if folder else "its English model cannot be downloaded"
            cure = "give models=FOLDER with stanza's resources, or run where there is a network"
            raise UserError(f"the stanza parser: {what} ({first_line(error)}); {cure}") from error


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def parse_batch(tagger: Any, parser: Any, sentences: Sequence[Sequence[str]], correct: bool) -> Iterator[Tree]:
    pieces = [
        list(tokens[start : start + LONGEST]) or [""]
        for tokens in sentences
        for start in range(0, max(len(tokens), 1), LONGEST)
    ]
    document = tagger([[token.strip() or "_" for token in piece] for piece in pieces])
    for piece, sentence in zip(pieces, document.sentences, strict=True):
        if correct:
            correct_tags(piece, sentence.words)
    parsed = iter(parser(document).sentences)
    for tokens in sentences:
        count = -(-max(len(tokens), 1) // LONGEST)
        yield tree_of(tuple(tokens) or ("",), [next(parsed).words for _ in range(count)])


def correct_tags(tokens: Sequence[str], words: Sequence[Any]) -> None:
    tagged = [WordClass(word.upos, word.xpos, word.feats) for word in words]
    for word, wanted in zip(words, corrected(tokens, tagged), strict=True):
        word.upos, word.xpos, word.feats = wanted.upos, wanted.xpos, wanted.feats


def tree_of(tokens: Sequence[str], pieces: Sequence[Sequence[Any]]) -> Tree:
    """Join pieces into one tree: the roots of later pieces depend on the first root."""
    words: list[TreeWord] = []
    first_root = next(index for index, word in enumerate(pieces[0]) if not word.head)
    for number, piece in enumerate(pieces):
        start, root = len(words), ROOT if number == 0 else first_root
        for word in piece:
            head = word.head - 1 + start if word.head else root
            words.append(TreeWord(tokens[len(words)], word.upos, head, word.deprel))
    return Tree(tuple(words))


@dataclass(frozen=True, slots=True)
class WordClass:
    upos: str
    xpos: str
    feats: str | None = None


CLASSES = {
    Tag.NOUN: WordClass("NOUN", "NN", "Number=Sing"),
    Tag.PLURAL: WordClass("NOUN", "NNS", "Number=Plur"),
    Tag.ADJECTIVE: WordClass("ADJ", "JJ", "Degree=Pos"),
    Tag.VERB: WordClass("VERB", "VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    Tag.ING: WordClass("VERB", "VBG", "Tense=Pres|VerbForm=Part"),
    Tag.POSTURE: WordClass("VERB", "VBG", "Tense=Pres|VerbForm=Part"),
    Tag.PARTICIPLE: WordClass("VERB", "VBN", "Tense=Past|VerbForm=Part"),
    Tag.PREPOSITION: WordClass("ADP", "IN"),
    Tag.OF: WordClass("ADP", "IN"),
    Tag.SUBORDINATOR: WordClass("SCONJ", "IN"),
    Tag.PUNCTUATION: WordClass("PUNCT", ","),
}
PLACE = WordClass("NOUN", "NN", "Number=Sing")
"""The class of a word for a place that was tagged as a verb: "to the left of"."""


def corrected(tokens: Sequence[str], tagged: Sequence[WordClass]) -> list[WordClass]:
    """Replace the tagger's class of a word by the lexicon's where they differ; keep groups of words.

    Taggers learn from news and the web and misread captions ("white platter holding desserts"). The lexicon knows
    captions. A corrected word gets the finer tag and the features that UD's English treebanks have for its class.
    """
    found = list(tagged)
    for word in tag(tokens):
        index = word.tokens[0]
        wanted = CLASSES.get(word.tag)
        if word.tag is Tag.PLACE and found[index].upos == "VERB":
            wanted = PLACE
        if len(word.tokens) == 1 and wanted is not None and wanted.upos != found[index].upos:
            found[index] = wanted
    return found
