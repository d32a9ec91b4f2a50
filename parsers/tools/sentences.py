"""Reader of sentences: `expressions.parquet`, a CSV in FACTUAL's format, or a text file with one on each line."""

from pathlib import Path

from parsers.errors import BrokenFile
from parsers.factual.scorer import read_gold
from parsers.scene_graph import MOST_TOKENS
from parsers.words.tokens import tokenise

CURE = "give one sentence on each line"

Tokens = tuple[str, ...]


def read_sentences(path: Path) -> list[Tokens]:
    """Return the distinct sentences of a file, as tokens, in order."""
    if not path.is_file():
        cure = "give an expressions.parquet, a CSV with a column caption, or a text file with a sentence on each line"
        raise BrokenFile(path, "missing", cure)
    if path.suffix == ".parquet":
        found = read_tokens(path)
    elif path.suffix == ".csv":
        found = [tokenise(caption) for caption, _ in read_gold(path)]
    else:
        try:
            lines = path.read_text(encoding="utf8").splitlines()
        except OSError as error:
            raise BrokenFile(path, f"cannot be read ({error.strerror})", CURE) from error
        except UnicodeDecodeError as error:
            raise BrokenFile(path, f"not a text file in UTF-8 ({error})", CURE) from error
        found = [tokenise(line) for line in lines if line.strip()]
    if not found:
        raise BrokenFile(path, "has no sentence", CURE)
    if (longest := max(map(len, found))) > MOST_TOKENS:
        raise BrokenFile(path, f"has a sentence of {longest:,} words, more than {MOST_TOKENS:,}", CURE)
    return list(dict.fromkeys(found))


def read_tokens(path: Path) -> list[Tokens]:
    """Return the column `tokens` of an `expressions.parquet`."""
    import pandas as pd  # the only use of pandas in this package

    try:
        return [tuple(tokens) for tokens in pd.read_parquet(path, columns=["tokens"])["tokens"]]
    except (OSError, ValueError) as error:
        raise BrokenFile(path, f"not a readable expressions.parquet ({error})", "make it with the workflow") from error
