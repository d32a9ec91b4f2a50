"""Text in lines and cells: CSV, tab-separated columns, CoNLL-U, and plain sentences."""

import csv
import io
from random import Random

from tests.long.fuzz.formats.trees import is_text
from tests.long.fuzz.odd_values import NUMBERS, TEXTS, odd_text
from tests.long.fuzz.reader import Format

Rows = list[list[str]]
WORDS = ["the", "man", "left", "of", "red", "holding", "'s", ",", "and", "which", "is", "two", "both", "it", "", "???"]


def odd_cell(random: Random) -> str:
    return str(random.choice(random.choice((NUMBERS[:-6], TEXTS)))) if random.random() < 0.9 else "1e308"


def changed_rows(rows: Rows, random: Random) -> Rows:
    """The rows with a few of their cells replaced, lost, added or exchanged; the first row least often."""
    rows = [list(row) for row in rows]
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        row = random.choice(rows[1:] if len(rows) > 1 and random.random() < 0.9 else rows)
        kind = random.choice(("replace", "replace", "replace", "lose", "add", "exchange", "double row", "lose row"))
        if kind == "replace" and row:
            row[random.randrange(len(row))] = odd_cell(random)
        elif kind == "lose" and row:
            del row[random.randrange(len(row))]
        elif kind == "add":
            row.insert(random.randrange(len(row) + 1), odd_cell(random))
        elif kind == "exchange" and row:
            one, other = random.randrange(len(row)), random.randrange(len(row))
            row[one], row[other] = row[other], row[one]
        elif kind == "double row":
            rows.insert(random.randrange(len(rows) + 1), list(row))
        elif kind == "lose row" and len(rows) > 1:
            rows.remove(row)
    return rows


def change_csv(content: bytes, random: Random) -> bytes:
    rows = changed_rows(list(csv.reader(io.StringIO(content.decode()))), random)
    written = io.StringIO()
    csv.writer(written, lineterminator=random.choice(("\n", "\r\n"))).writerows(rows)
    text = written.getvalue()
    if random.random() < 0.05:
        text = text.replace(",", random.choice(('"', ";", ',"', "\x00")), 1)
    return text.encode("utf8", "surrogatepass")


def change_tabs(content: bytes, random: Random) -> bytes:
    rows = changed_rows([line.split("\t") for line in content.decode().split("\n")], random)
    return "\n".join("\t".join(row) for row in rows).encode("utf8", "surrogatepass")


def change_conllu(content: bytes, random: Random) -> bytes:
    """The cells that make a tree, mostly: numbers of words, ranges and heads."""
    rows = [line.split("\t") for line in content.decode().split("\n")]
    if random.random() < 0.03:
        return deep_tree(random.choice((1000, 20_000)), random.random() < 0.5)
    if random.random() < 0.5:
        return change_tabs(content, random)
    words = [row for row in rows if len(row) == 10]
    for row in random.sample(words, random.choice((1, 1, 2, 3))):
        row[random.choice((0, 6, 6, 6))] = str(
            random.choice(("0", "1", "2", "3", "4", "9", "1-2", "2-3", "1-9", "1.1", "_"))
        )
    return "\n".join("\t".join(row) for row in rows).encode()


def deep_tree(count: int, has_cycle: bool) -> bytes:
    heads = [word - 1 for word in range(1, count + 1)]
    if has_cycle:
        heads[count // 2] = count
    lines = [f"{word}\tdog\tdog\tNOUN\t_\t_\t{head}\tconj\t_\t_" for word, head in enumerate(heads, start=1)]
    return "\n".join([*lines, "", ""]).encode()


def change_text(content: bytes, random: Random) -> bytes:
    lines = content.decode().split("\n")
    place = random.randrange(len(lines))
    words = lines[place].split(" ")
    for _ in range(random.choice((1, 2, 4, 9))):
        kind = random.choice(("put", "put", "odd", "lose", "repeat"))
        where = random.randrange(len(words) + 1)
        if kind == "put":
            words.insert(where, random.choice(WORDS))
        elif kind == "odd":
            words.insert(where, odd_text(random))
        elif kind == "lose":
            del words[where : where + 3]
        else:
            words[where:where] = words[max(0, where - 4) : where] * random.choice((2, 30))
    lines[place] = random.choice((" ", " ", "")).join(words)
    return "\n".join(lines).encode("utf8", "surrogatepass")


def change_vectors(content: bytes, random: Random) -> bytes:
    """A word and its numbers a line, apart by single blanks."""
    rows = changed_rows([line.split(" ") for line in content.decode().split("\n")], random)
    return "\n".join(" ".join(row) for row in rows).encode("utf8", "surrogatepass")


CSV = Format(change_csv, is_text)
TABS = Format(change_tabs, is_text)
CONLLU = Format(change_conllu, is_text)
TEXT = Format(change_text, lambda content: True)
VECTORS = Format(change_vectors, is_text)
