"""Settings of a parser: its backend and the options of that backend."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, RootModel

from jvgn.layout import RESULTS
from jvgn.settings.base import Frozen

STANZA_FOLDER = "resources/stanza"
STANZA_FILES = [f"{STANZA_FOLDER}/resources.json", f"{STANZA_FOLDER}/en"]


def outside_results(path: str) -> str:
    """Refuse a file that the workflow may overwrite."""
    if Path(path).resolve().is_relative_to(RESULTS.resolve()):
        raise ValueError(f"expected a file outside of {RESULTS}/, which the workflow writes, found {path}")
    return path


Given = Annotated[str, AfterValidator(outside_results)]
"""A file of the user."""


class LexicalSettings(Frozen):
    """Word lists and patterns, without a model or download."""

    backend: Literal["lexical"]

    @property
    def files(self) -> list[str]:
        return []


class StanzaSettings(Frozen):
    """Stanza's neural dependency parser."""

    backend: Literal["stanza"]
    models: str = STANZA_FOLDER
    """A folder of Stanza's English models. The workflow downloads the default one."""
    tags: Literal["lexicon", "model"] = "lexicon"
    """Parts of speech: the model's own, or corrected by the lexicon of captions."""

    @property
    def files(self) -> list[str]:
        """Return the files that the default folder is made of, or the folder itself if it is the user's."""
        is_small = Path(self.models, "tagger.pt").exists()
        return STANZA_FILES if self.models == STANZA_FOLDER and not is_small else [self.models]


class ConlluSettings(Frozen):
    """Your own dependency trees."""

    backend: Literal["conllu"]
    parses: str
    """A CoNLL-U file with a tree for every sentence."""

    @property
    def files(self) -> list[str]:
        return [self.parses]


class CorenlpSettings(Frozen):
    """The paper's parser: scene graphs of CoreNLP, which needs Java."""

    backend: Literal["corenlp"]
    folder: str = "resources/corenlp"
    """The folder of CoreNLP's jars. The workflow downloads the default one."""
    repair: bool = True
    """Repair the `obl:` labels that CoreNLP leaves in its relations."""

    @property
    def files(self) -> list[str]:
        return [self.folder]


class GraphsSettings(Frozen):
    """Your own scene graphs."""

    backend: Literal["graphs"]
    nodes: Given
    """A Parquet file with the columns of `nodes.parquet`; docs/parsers.md describes them. It is never written to."""
    edges: Given
    """A Parquet file with the columns of `edges.parquet`."""

    @property
    def files(self) -> list[str]:
        return [self.nodes, self.edges]


AnyParser = LexicalSettings | StanzaSettings | ConlluSettings | CorenlpSettings | GraphsSettings


class ParserSettings(RootModel[Annotated[AnyParser, Field(discriminator="backend")]]):
    """Settings of any parser, as a file holds them."""

    def write(self, path: Path | str) -> None:
        """Write every value, defaults included."""
        self.root.write(path)


BUILT_IN_PARSERS: dict[str, AnyParser] = {
    "lexical": LexicalSettings(backend="lexical"),
    "stanza": StanzaSettings(backend="stanza"),
    "corenlp": CorenlpSettings(backend="corenlp"),
}
"""Parsers that need no configuration: all their options have defaults."""
