"""The `corenlp` backend: the paper's own parser, the scene graphs of Stanford's CoreNLP, made by Java.

`jars` finds CoreNLP, `process` streams sentences through one Java process (`Feeder.java`), and `answer_graph` makes
each answer a scene graph. Options: `folder`, with CoreNLP's jars; `repair`, whether to restore the prepositions and
relations that CoreNLP loses.
"""

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from parsers.corenlp.answer_graph import read
from parsers.corenlp.jars import FOLDER, class_path
from parsers.corenlp.process import Answer, CoreNLP, Piece, java, pieces
from parsers.errors import UserError
from parsers.guarantees import guaranteed
from parsers.scene_graph import Backend, SceneGraph

log = logging.getLogger(__name__)


def load(folder: str = FOLDER, repair: bool | str = True) -> Backend:
    """Check for Java and the jars now; Java starts with the first sentence."""
    if not isinstance(repair, bool):
        raise UserError(f"the parser corenlp: repair: expected true or false, found {repair!r}")
    corenlp = CoreNLP(java(), class_path(Path(folder)))
    return partial(parse_many, corenlp, repair)


def parse_many(corenlp: CoreNLP, repair: bool, sentences: Sequence[Sequence[str]]) -> list[SceneGraph]:
    whole = [tuple(tokens) or ("",) for tokens in sentences]
    spelled = [pieces(tokens) for tokens in whole]
    answers = corenlp.answers([[piece.spelled for piece in sentence] for sentence in spelled])
    return [graph(*each, repair) for each in zip(whole, spelled, answers, strict=True)]


def graph(tokens: tuple[str, ...], sentence: Sequence[Piece], answer: Answer, repair: bool) -> SceneGraph:
    if answer.problem:
        log.warning("CoreNLP gave no graph for %r: %s; one node covers the sentence", " ".join(tokens), answer.problem)
        return guaranteed(tokens, [], [], 0)
    return read(tokens, sentence, answer, repair)
