"""docs/errors.md as data, beside the places in the code that raise what it lists.

An entry is a row of a table: the message, its cause, its cure. In a message, `…` stands for what varies.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/errors.md"
VARIES = "…"
BROKEN_FILE_CURE = "delete it and run the workflow again"
REGIONS_CURE = f"if the workflow made it, {BROKEN_FILE_CURE}"
LEAVE_OUT = "; mend it, or leave it out: on_bad_input: skip in the dataset's regions"
"""What an extraction adds to the message of an image that it cannot use."""


@dataclass(frozen=True)
class Entry:
    """One error that a user may see."""

    message: str
    cause: str
    cure: str

    def matches(self, message: str) -> bool:
        return re.fullmatch(pattern(self.message), message) is not None


def pattern(message: str) -> str:
    return ".*".join(re.escape(part) for part in message.split(VARIES))


def entries() -> list[Entry]:
    """The rows of the page's tables, but for their headings."""
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    cells = [[cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    return [Entry(message.strip("`").strip(), cause, cure) for message, cause, cure in cells]


@dataclass(frozen=True)
class Raised:
    """A place in the code that raises an error for a user."""

    place: str
    message: str


def raised() -> list[Raised]:
    """Every place that makes an error for a user, with its message as far as the code spells it out."""
    found = []
    for file in sorted(path for package in ("jvgn", "parsers") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MESSAGES:
                place = f"{file.relative_to(ROOT)}:{node.lineno}"
                found.append(Raised(place, re.sub(f"{VARIES}+", VARIES, MESSAGES[node.func.id](node.args))))
    return found


def of_user_error(arguments: list[ast.expr]) -> str:
    return template(arguments[0])


def of_broken_file(arguments: list[ast.expr]) -> str:
    path, problem, *cure = arguments
    return f"{template(path)}: {template(problem)}; {template(cure[0]) if cure else BROKEN_FILE_CURE}"


MESSAGES = {"UserError": of_user_error, "Interrupted": of_user_error, "BrokenFile": of_broken_file}
"""The class of each error for a user, and how its arguments become a message."""


def template(text: ast.expr) -> str:
    """A text's constant parts, with `…` for the others."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    if isinstance(text, ast.JoinedStr):
        return "".join(template(part) for part in text.values)
    return VARIES


def covers(entry: Entry, place: Raised) -> bool:
    """Does the entry list what is raised here? Both may leave parts open: a varying part fits any text."""
    listed = (entry.message, entry.message.removesuffix(LEAVE_OUT))
    return any(fits(message, place.message) or fits(place.message, message) for message in listed)


def fits(general: str, special: str) -> bool:
    return re.fullmatch(pattern(general), special) is not None
