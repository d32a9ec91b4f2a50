"""The groundings of the models that a survey compares, in one form for all models.

A model is a finished run, or a `.jsonl` file of groundings made elsewhere, one a line:

    {"image": "7.jpg", "sentence": "star left of a ring", "objects": [
        {"phrase": "star", "box": [4, 9, 30, 41], "after": 0.97, "before": 0.31, "is_referent": true}, ...],
     "relations": [{"subject": 0, "relation": "left of", "object": 1}]}

Boxes are x1, y1, x2, y2 in pixels; `after` is the probability of the box, `before` its probability before joint
reasoning about the objects; `subject` and `object` are indices into `objects`. `before`, `relations` and `is_referent`
are optional.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

import pandas as pd
from pydantic import Field, FiniteFloat, ValidationError, field_validator, model_validator

from jvgn.datasets import tables
from jvgn.evaluation.predictions import read_phrases
from jvgn.graphs.tables import read_edges
from jvgn.grounding.run_folder import RunFolder, as_seen
from jvgn.settings.base import Frozen, describe
from jvgn.storage.files import reading
from parsers.errors import BrokenFile, UserError

Box = tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]
Probability = Annotated[float, Field(ge=0, le=1.0001)]  # rounding of float32


class GroundedObject(Frozen):
    """An object of a sentence, its box and its probabilities."""

    phrase: str = Field(min_length=1)
    box: Box
    after: Probability
    before: Probability | None = None
    is_referent: bool = False

    @field_validator("box")
    @classmethod
    def check_box(cls, box: Box) -> Box:
        x1, y1, x2, y2 = box
        if x1 > x2 or y1 > y2:
            raise ValueError(f"expected x1, y1, x2, y2 with x1 <= x2 and y1 <= y2, found {list(box)}")
        return box


class RatedRelation(Frozen):
    """A relation between two of the objects, by their positions."""

    subject: int = Field(ge=0)
    relation: str
    object: int = Field(ge=0)


class Groundings(Frozen):
    """A line of a file of groundings: a sentence, its objects and relations."""

    image: str
    sentence: str = Field(min_length=1)
    objects: tuple[GroundedObject, ...] = Field(min_length=1)
    relations: tuple[RatedRelation, ...] | None = None

    @model_validator(mode="after")
    def check(self) -> "Groundings":
        for relation in self.relations or ():
            if max(relation.subject, relation.object) >= len(self.objects):
                raise ValueError(f"the relation {relation.relation!r} names an object that does not exist")
        return self


class RatedSentence(NamedTuple):
    """The name of an image file and a sentence about it, by which models are matched."""

    image: str
    text: str


class Model(Protocol):
    """A model to be rated: its sentences and their groundings."""

    name: str
    images: Path
    """The folder of its images."""

    def sentences(self) -> set[RatedSentence]: ...
    def groundings(self, sentence: RatedSentence) -> Groundings: ...


class FileModel:
    """Groundings made elsewhere, as lines of JSON."""

    def __init__(self, name: str, path: Path, images: Path | None) -> None:
        self.name, self.images = name, images or path.parent
        found = [self.checked(where, line) for where, line in self.lines(path)]
        if not found:
            raise UserError(f"{path}: has no grounding; write one a line, see docs/survey.md")
        self._groundings = {RatedSentence(one.image, one.sentence): one for one in reversed(found)}

    @staticmethod
    def lines(path: Path) -> list[tuple[str, str]]:
        """Return each line with its place in the file."""
        with reading(path, "text file", "give a run's folder or a .jsonl file"):
            lines = path.read_text(encoding="utf8").split("\n")  # a sentence may contain other line separators
        return [(f"{path}, line {number}", line) for number, line in enumerate(lines, start=1) if line.strip()]

    @staticmethod
    def checked(where: str, line: str) -> Groundings:
        try:
            return Groundings.model_validate_json(line)
        except ValidationError as error:
            raise UserError(f"{where}: {describe(error.errors()[0])}; see docs/survey.md") from error

    def sentences(self) -> set[RatedSentence]:
        return set(self._groundings)

    def groundings(self, sentence: RatedSentence) -> Groundings:
        return self._groundings[sentence]


class RunModel:
    """The predictions of a finished run, with their graphs."""

    def __init__(self, name: str, run: RunFolder, split: str, images: Path) -> None:
        self.name, self.images = name, images
        self.path, graphs = run.predictions, run.graphs(run.read_settings().parser)
        expressions = tables.read_expressions(run.tables / "expressions.parquet").to_pandas().set_index("expression_id")
        evaluated = tables.evaluated(expressions).index.to_numpy()
        found = read_phrases(self.path, evaluated, graphs / "nodes.parquet", expressions["tokens"])
        self._expressions = shown_expressions(run.tables, split, set(found["expression_id"]))
        kept = set(self._expressions.values())
        edges = read_edges(graphs / "edges.parquet").to_pandas()
        self._objects = found[found["expression_id"].isin(kept)].groupby("expression_id")
        self._relations = edges[edges["expression_id"].isin(kept)].groupby("expression_id")

    def sentences(self) -> set[RatedSentence]:
        return set(self._expressions)

    def groundings(self, sentence: RatedSentence) -> Groundings:
        number = self._expressions[sentence]
        rows = self._objects.get_group(number).sort_values("node")
        edges = self._relations.get_group(number) if number in self._relations.groups else pd.DataFrame()
        try:
            return self.grounded(sentence, rows, edges)
        except ValidationError as error:
            raise BrokenFile(self.path, f"expression {number}: {describe(error.errors()[0])}") from error

    @staticmethod
    def grounded(sentence: RatedSentence, rows: pd.DataFrame, edges: pd.DataFrame) -> Groundings:
        return Groundings(
            image=sentence.image,
            sentence=sentence.text,
            objects=tuple(
                GroundedObject(
                    phrase=row.phrase,
                    box=(row.x1, row.y1, row.x2, row.y2),
                    after=row.marginal,
                    before=row.unary,
                    is_referent=row.is_referent,
                )
                for row in rows.itertuples()
            ),
            relations=tuple(
                RatedRelation(subject=edge.subject, relation=edge.relation, object=edge.object)
                for edge in edges.itertuples()
            ),
        )


def shown_expressions(dataset: Path, split: str, predicted: set[int]) -> dict[RatedSentence, int]:
    """Return the ids of a split's expressions that have predictions; the first of equal sentences."""
    path = dataset / "expressions.parquet"
    table, images = tables.read_expressions(path), tables.read_images(dataset / "images.parquet")
    tables.check_known(path, table, images, "image_id")
    expressions = table.to_pandas()
    own = expressions[(expressions["split"] == split) & expressions["expression_id"].isin(predicted)]
    if not len(own):
        known = sorted(set(expressions.loc[expressions["expression_id"].isin(predicted), "split"]))
        raise UserError(
            f"{as_seen(dataset)}: no sentence of split {split} is grounded; choose with --split among:"
            f" {', '.join(known) or 'none'}"
        )
    names = images.to_pandas().set_index("image_id")["file_name"]
    rows = own.assign(image=own["image_id"].map(names))[::-1].itertuples()
    return {RatedSentence(row.image, row.text): row.expression_id for row in rows}


def read_models(
    arguments: tuple[str, ...], split: str, images: Path | None, config: Sequence[Path] = ()
) -> list[Model]:
    """Return the models that arguments of the form NAME=RUN name.

    The images of a run are in `images`, or found by the `config.yaml` beside its results and the files over it.
    """
    models: list[Model] = []
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not (name and equals and path):
            raise UserError(f"{argument}: expected NAME=RUN, such as ours=results/shapes_det")
        if name == "all":
            raise UserError(f"{argument}: the name all means every model together; give another name")
        if name in {model.name for model in models}:
            raise UserError(f"{argument}: the name {name} is used twice; give every model its own")
        if Path(path).is_dir():
            run = RunFolder.find(path)
            models.append(RunModel(name, run, split, images or run.images(config)))
        else:
            models.append(FileModel(name, Path(path), images))
    return models
