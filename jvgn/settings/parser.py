"""The settings of a parser: its backend, and what that backend's graphs depend on."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, RootModel

from jvgn.settings.base import Frozen

STANZA_FOLDER = "resources/stanza"
STANZA_FILES = [f"{STANZA_FOLDER}/resources.json", f"{STANZA_FOLDER}/en"]


class LexicalSettings(Frozen):
    backend: Literal["lexical"]
    """Word lists and patterns; no model, no download."""

    @property
    def files(self) -> list[str]:
        return []


class StanzaSettings(Frozen):
    backend: Literal["stanza"]
    """Stanza's neural dependency parser."""
    models: str = STANZA_FOLDER
    """A folder of Stanza's English models; the workflow fetches this one."""
    tags: Literal["lexicon", "model"] = "lexicon"
    """Whose parts of speech the tree is made of: the model's as they are, or corrected by the lexicon of captions."""
    graphs: Literal["tree", "agreed"] = "tree"
    """The graph that rules read off the tree, or the lexical parser's without what the tree speaks against."""

    @property
    def files(self) -> list[str]:
        """Of the folder that is fetched, the two that the sources provide; a small one has neither."""
        is_small = Path(self.models, "tagger.pt").exists()
        return STANZA_FILES if self.models == STANZA_FOLDER and not is_small else [self.models]


class ConlluSettings(Frozen):
    backend: Literal["conllu"]
    """Dependency trees that you bring."""
    parses: str
    """A CoNLL-U file with a tree for every sentence."""

    @property
    def files(self) -> list[str]:
        return [self.parses]


class CorenlpSettings(Frozen):
    backend: Literal["corenlp"]
    """The paper's own parser: CoreNLP's scene graphs, made by Java."""
    folder: str = "resources/corenlp"
    """The folder of CoreNLP's jars; the workflow fetches this one."""
    repair: bool = True
    """Mend the `obl:` labels that CoreNLP leaves in its relations."""

    @property
    def files(self) -> list[str]:
        return [self.folder]


AnyParser = LexicalSettings | StanzaSettings | ConlluSettings | CorenlpSettings


class ParserSettings(RootModel[Annotated[AnyParser, Field(discriminator="backend")]]):
    def write(self, path: Path | str) -> None:
        """`path` holds every value, defaults included."""
        self.root.write(path)


BUILT_IN_PARSERS: dict[str, AnyParser] = {
    "lexical": LexicalSettings(backend="lexical"),
    "stanza": StanzaSettings(backend="stanza"),
    "corenlp": CorenlpSettings(backend="corenlp"),
}
"""Parsers that need no configuration: those of the backends whose every option has a default."""
