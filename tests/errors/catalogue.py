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
    """The file and, within it, the function."""
    message: str

    @property
    def has_words(self) -> bool:
        """Whether the code spells out some of the message, beyond the cure of most files."""
        spelled_out = self.message.removesuffix(f"; {BROKEN_FILE_CURE}").replace(VARIES, " ")
        return re.search(r"[a-z]{2}", spelled_out) is not None


def raised() -> list[Raised]:
    """Every place that makes an error for a user, with its message as far as the code spells it out."""
    found = []
    for file in [*code(), *workflow_functions()]:
        places = Places(str(file.relative_to(ROOT)))
        places.visit(ast.parse(file.read_text()))
        found += places.found
    return found


def code() -> list[Path]:
    return sorted(path for package in ("jvgn", "parsers") for path in (ROOT / package).rglob("*.py"))


def workflow_functions() -> list[Path]:
    """The files of the workflow that hold functions, which are Python; those with rules are not."""
    return [path for path in workflow_files() if not has_rules(path)]


def workflow_files() -> list[Path]:
    return [ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]


def has_rules(path: Path) -> bool:
    return (
        re.search(r"^ *(use rule|rule|checkpoint|include|configfile|module)\b.*:", path.read_text(), re.M) is not None
    )


class Places(ast.NodeVisitor):
    """Finds where the code of a file makes errors for a user."""

    def __init__(self, file: str) -> None:
        self.file, self.within, self.found = file, list[str](), list[Raised]()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        self.within.append(node.name)
        self.generic_visit(node)
        self.within.pop()

    visit_ClassDef = visit_FunctionDef

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in MESSAGES:
            message = re.sub(f"{VARIES}+", VARIES, MESSAGES[node.func.id](node.args))
            self.found.append(Raised(f"{self.file} {'.'.join(self.within)}".strip(), message))
        self.generic_visit(node)


def of_user_error(arguments: list[ast.expr]) -> str:
    return template(arguments[0])


def of_broken_file(arguments: list[ast.expr]) -> str:
    path, problem, *cure = arguments
    return f"{template(path)}: {template(problem)}; {template(cure[0]) if cure else BROKEN_FILE_CURE}"


MESSAGES = {
    "UserError": of_user_error,
    "Interrupted": of_user_error,
    "BrokenFile": of_broken_file,
    "WorkflowError": of_user_error,
}
"""The class of each error for a user, and how its arguments become a message."""


def template(text: ast.expr) -> str:
    """A text's constant parts, with `…` for the others."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    if isinstance(text, ast.JoinedStr):
        return "".join(template(part) for part in text.values)
    if isinstance(text, ast.BinOp):
        return template(text.left) + template(text.right)
    return VARIES


WORDLESS = (
    ("jvgn/datasets/coco.py checked", "…: …: Field required; get the file again"),
    (
        "jvgn/datasets/refer.py check_references",
        "…: ref … describes object …, which is not in image …; get the file again",
    ),
    (
        "jvgn/datasets/tables.py check_referents",
        "…: expression … does not have exactly one referent; parse the expressions again",
    ),
    (
        "jvgn/detector/images.py ImageFiles.__getitem__",
        f"… has … x … pixels: too slim to find objects in{LEAVE_OUT}",
    ),
    ("jvgn/detector/images.py ImageFiles.__getitem__", "…: expected … pixels, found …; fetch or draw it again"),
    ("jvgn/settings/base.py validated", "…: unknown key …"),
    (
        "jvgn/grounding/stored_expression.py read_expression",
        "expression … …; … is empty; texts and ids are in …, and `jvgn show …` chooses one",
    ),
    (
        "jvgn/views/survey/files.py read_answers",
        "…: example …: expected an answer from 1 to …, found …; ask the rater for the file that the form saved",
    ),
    ("parsers/corenlp/process.py CoreNLP.line", "CoreNLP's Java ended with code … at …; its last words: …"),
    ("jvgn/storage/records.py check_unchanged", f"…: not as it was written by …; {BROKEN_FILE_CURE}"),
    ("jvgn/storage/stage_command.py check_as_written", f"…: not as it was written by …; {BROKEN_FILE_CURE}"),
    ("parsers/trees/tree.py checked", "…: line …: word … (…) is its own head"),
    ("workflow/rules/common.smk", "…: unknown key …"),
    ("workflow/rules/checks.smk check_inputs", f"…: not as it was written by …; {BROKEN_FILE_CURE}"),
    ("workflow/rules/checks.smk check_writable", "…: cannot be written (…); see to the disk, then run it again"),
    ("workflow/rules/checks.smk check_yaml", "…: cannot be read as YAML (…); check the file"),
)
"""The places that raise what another part of the code has worded, each with an entry that it may raise."""


def covers(entry: Entry, place: Raised) -> bool:
    """Does the entry list what is raised here? Both may leave parts open: a varying part fits any text.

    A place without words would fit every entry; see `WORDLESS`.
    """
    listed = (entry.message, entry.message.removesuffix(LEAVE_OUT))
    return place.has_words and any(fits(message, place.message) or fits(place.message, message) for message in listed)


def fits(general: str, special: str) -> bool:
    return re.fullmatch(pattern(general), special) is not None
