"""The tables of a run, any of them broken, and whatever reads them together."""

import random
from collections.abc import Callable
from pathlib import Path

from tests.long.fuzz.formats.parquet import PARQUET
from tests.long.fuzz.reader import Reader
from tests.long.fuzz.readers.results import Numbers
from tests.long.fuzz.world import DATASET, SETTING, World, copied_world

DEPTH = {"datasets": 4, "graphs": 5, "vocabulary": 5, f"{DATASET}_{SETTING}": 3}
"""How many folders above each kind of table the world is."""


def make_tables(*names: str) -> Callable[[Path], list[Path]]:
    def make(folder: Path) -> list[Path]:
        made = copied_world(folder)
        own = {"nodes": made.nodes, "edges": made.edges, "words": made.words, "predictions": made.predictions}
        return [own.get(name, made.table(name)) for name in names]

    return make


def world_of(path: Path) -> World:
    results = next(parent for parent in path.parents if parent.name == "results")
    return World(results.parent)


def predict(path: Path) -> None:
    import torch

    from jvgn.evaluation.predict import predict as run

    made = world_of(path)
    run(made.inputs, made.model, made.run / "fresh.parquet", 0.5, torch.device("cpu"))


def score(path: Path) -> None:
    from jvgn.evaluation.score import RunName
    from jvgn.evaluation.score import score as run

    made = world_of(path)
    run(made.scored, RunName(DATASET, SETTING, "default"), 0.5, made.run / "fresh.json")


def show(path: Path) -> None:
    import torch

    from jvgn.grounding.answerer import answer_again
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.grounding.stored_expression import read_expression

    run = RunFolder.find(world_of(path).run)
    for expression_id in (301, None):
        answer_again(run, read_expression(run, expression_id), torch.device("cpu"))


def report(path: Path) -> None:
    from jvgn.views.report.input_figures import draw_recall
    from jvgn.views.report.run_figures import draw_calibration, draw_sizes

    made = world_of(path)
    draw_recall(made.tables, made.regions, Numbers())
    for draw in (draw_calibration, draw_sizes):
        draw(made.tables, made.nodes, made.edges, made.predictions, Numbers())


def gather(path: Path) -> None:
    """What a gallery, a figure of examples and a survey choose and say, without drawing it."""
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.views.examples_figure import chosen_examples
    from jvgn.views.survey.form import alike, shuffled
    from jvgn.views.survey.rated_models import RunModel

    made = world_of(path)
    chosen_examples(made.tables, made.nodes, made.predictions)
    model = RunModel("ours", RunFolder.find(made.run), "test", made.images)
    alike([model.groundings(sentence) for _, sentence in shuffled([model], 1, random.Random(0))])


def list_pictures(path: Path) -> None:
    from jvgn.planning.sizes import DRAWN, counted
    from jvgn.views.explorer.image_list import ImageList
    from jvgn.views.regions_figure import RegionViewer

    made = world_of(path)
    ImageList(None, made.tables, made.images).listed()
    counted(made.tables, DRAWN)
    RegionViewer(made.regions, made.tables).table(Path("1.png"))


def extract(path: Path) -> None:
    """What the stages of detectors and regions read before they look at an image."""
    from jvgn.datasets.tables import IMAGES, OBJECTS
    from jvgn.detector.excluded_images import exclude_images, held_out, without
    from jvgn.detector.images import ImageFiles
    from jvgn.detector.leakage_proof import evaluation_images
    from jvgn.regions.annotated import annotations_of
    from jvgn.regions.recall import measure_recall
    from jvgn.storage.parquet import read_table

    made = world_of(path)
    excluded = made.root / "excluded.parquet"
    exclude_images([made.table("expressions")], excluded)
    evaluation_images([made.table("expressions")])
    images = read_table(made.table("images"), IMAGES).sort_by("image_id")
    without(images, excluded)
    held_out(images, excluded, 5)
    files = ImageFiles(images, made.images, seen_often=False)
    [files[index] for index in range(min(len(files), 3))]
    annotations_of(images, read_table(made.table("objects"), OBJECTS), "skip")
    measure_recall(made.tables, made.regions, 0.5, made.root / "recall.json")


DATASET_TABLES = ("images", "objects", "expressions", "mentions")
GRAPHS = ("nodes", "edges")
READERS = [
    Reader("tables, to predict", PARQUET, make_tables(*DATASET_TABLES, *GRAPHS, "words"), predict, share=2),
    Reader("tables, to score", PARQUET, make_tables(*DATASET_TABLES, *GRAPHS, "predictions"), score, share=2),
    Reader("tables, to show", PARQUET, make_tables(*DATASET_TABLES[:3], *GRAPHS, "predictions"), show, share=2),
    Reader("tables, to report", PARQUET, make_tables(*DATASET_TABLES, *GRAPHS, "predictions"), report, share=2),
    Reader("tables, to gather", PARQUET, make_tables("images", "expressions", *GRAPHS, "predictions"), gather, share=2),
    Reader("tables, to list", PARQUET, make_tables(*DATASET_TABLES[:3]), list_pictures, share=2),
    Reader("tables, to extract", PARQUET, make_tables(*DATASET_TABLES[:3]), extract, share=2),
]
