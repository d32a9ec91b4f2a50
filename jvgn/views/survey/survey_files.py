"""The JSON files of a survey: its key, and the answers of each rater.

The key says which model made which example: `format`, `survey` (the form's identity), `question`, `scale` (the answers
in words, the lowest first), `seed`, and `examples.{id}` with model, image and sentence.
The form saves the answers: `format`, `survey`, `rater`, and `answers.{id}`, from 1 to the length of the scale.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from jvgn.settings.base import Frozen, read_json
from jvgn.storage.files import write_text
from parsers.errors import BrokenFile, UserError

QUESTION = "How clearly can you understand the grounding process?"
SCALE = ("unclear", "slightly clear", "mostly clear", "clear")
"""The scale of the paper."""
ASK_AGAIN = "ask the rater for the file that the form saved"


class KeyExample(Frozen):
    """The model behind an example, its image and its sentence."""

    model: str
    image: str
    sentence: str


class Key(Frozen):
    """The file that says which model made which example."""

    format: Literal["1"] = "1"
    survey: str
    question: str = QUESTION
    scale: tuple[str, ...] = SCALE
    seed: int
    examples: dict[str, KeyExample]

    @property
    def models(self) -> list[str]:
        return sorted({example.model for example in self.examples.values()})


class RaterAnswers(Frozen):
    """The file of answers that the form saves for a rater."""

    format: Literal["1"]
    survey: str
    rater: str = Field(min_length=1)
    answers: dict[str, int]


def write_key(path: Path, key: Key) -> None:
    write_text(path, key.model_dump_json(indent=2) + "\n")


def read_key(path: Path) -> Key:
    return read_json(path, Key, "key of a survey", "give the file that `jvgn survey make` wrote as --key")


def read_answers(path: Path, key: Key) -> RaterAnswers:
    """Return the answers of one rater, after a check that they belong to the key."""
    found = read_json(path, RaterAnswers, "file of a rater's answers", ASK_AGAIN)
    if found.survey != key.survey:
        raise UserError(f"{path}: answers another survey ({found.survey}, not {key.survey}); give the key of that one")
    for number, answer in found.answers.items():
        if number not in key.examples:
            raise BrokenFile(path, f"has an example {number} that is not in the survey", ASK_AGAIN)
        if not 1 <= answer <= len(key.scale):
            problem = f"example {number}: expected an answer from 1 to {len(key.scale)}, found {answer}"
            raise BrokenFile(path, problem, ASK_AGAIN)
    if not found.answers:
        raise UserError(f"{path}: {found.rater} answered nothing; leave this file out")
    return found
