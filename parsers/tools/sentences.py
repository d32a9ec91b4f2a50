"""Sentences from whatever people have: `expressions.parquet`, a CSV in FACTUAL's format, or a text, one a line."""

from pathlib import Path

from parsers.files import BrokenFile
from parsers.scene_graph import MOST_TOKENS
from parsers.stage import EXPRESSIONS
from parsers.table import read_table
from parsers.tokens import tokenise
from parsers.tools.scoring import read_gold

CURE = "give one sentence on each line"

Tokens = tuple[str, ...]


def read_sentences(path: Path) -> list[Tokens]:
    """The distinct sentences of a file, as tokens, in their order."""
    if not path.is_file():
        cure = "give an expressions.parquet, a CSV with a column caption, or a text file with a sentence on each line"
        raise BrokenFile(path, "there is no such file", cure)
    if path.suffix == ".parquet":
        found = [tuple(tokens or ("",)) for tokens in read_table(path, EXPRESSIONS)["tokens"].to_pylist()]
    elif path.suffix == ".csv":
        found = [tokenise(caption) for caption, _ in read_gold(path)]
    else:
        try:
            lines = path.read_text(encoding="utf8").splitlines()
        except OSError as error:
            raise BrokenFile(path, f"cannot be read ({error.strerror})", CURE) from error
        except UnicodeDecodeError as error:
            raise BrokenFile(path, f"not a text in UTF-8 ({error})", CURE) from error
        found = [tokenise(line) for line in lines if line.strip()]
    if not found:
        raise BrokenFile(path, "has no sentence", CURE)
    if (longest := max(map(len, found))) > MOST_TOKENS:
        raise BrokenFile(path, f"has a sentence of {longest:,} words, more than {MOST_TOKENS:,}", CURE)
    return list(dict.fromkeys(found))
