"""Names in `config.yaml` that nothing has, that two things have, or that a target lacks."""

from typing import Any

from tests.errors.case import Bench, Case
from tests.errors.configurations import DATASET, configured, write_configuration

UNKNOWN_NAME = "config.yaml: datasets.…: unknown … …; known: …"
NOT_WITHHELD = (
    "config.yaml: datasets.…: detector … learns from …, which does not withhold …; add it to training_sets.….withhold"
)
NOT_CONFIGURED = "config.yaml has no … …; it has: …"
COCO: dict[str, Any] = {"annotations": "instances.json", "images": "train2014", "withhold": ["shapes"]}
LEARNER = {"learner": {"backbone": "tiny", "trained_on": "coco"}}
OTHER_RUN = {"training_sets": {"coco": COCO}, "detectors": LEARNER, "datasets": {"mine": DATASET}}


def run_of_shapes(**values: Any) -> dict[str, Any]:
    return {"datasets": {"shapes": {"run": values}}}


def no_network(bench: Bench) -> list:
    settings = bench.write("settings.yaml", "{source: precomputed, format: npz, objects: features}")
    files = {name: bench.folder / name for name in ("weights", "provenance")}
    return ["adopt-detector", "--settings", settings, *(part for name in files for part in (f"--{name}", files[name]))]


def workflow(flaw: dict[str, Any], target: str) -> Any:
    """Asks Snakemake for a target."""

    def arrange(bench: Bench) -> list[Any]:
        write_configuration(bench, flaw)
        return ["--", target]

    return arrange


NAMES = [
    Case(UNKNOWN_NAME, configured(run_of_shapes(detector="resnet"))),
    Case(UNKNOWN_NAME, configured(run_of_shapes(parser="spacy"))),
    Case(UNKNOWN_NAME, configured(run_of_shapes(vocabulary="large"))),
    Case(UNKNOWN_NAME, configured({"runs": {"wide": {"vocabulary": "large"}}})),
    Case(
        "…: the whole: Value error, training_sets.… has the name of a dataset; choose another",
        configured({"training_sets": {"shapes": COCO}}),
    ),
    Case(
        "…: the whole: Value error, training_sets.….withhold: unknown dataset …",
        configured({"training_sets": {"coco": COCO | {"withhold": ["refcoco"]}}}),
    ),
    Case(
        "…: the whole: Value error, detectors.….trained_on: unknown training set …",
        configured({"detectors": LEARNER}),
    ),
    Case(
        "…: the whole: Value error, parsers.… is built in; choose another name",
        configured({"parsers": {"lexical": {"backend": "lexical"}}}),
    ),
    Case(
        "…: the whole: Value error, runs.… is built in; choose another name",
        configured({"runs": {"unmarginalised": {}}}),
    ),
    Case(
        "…: the whole: Value error, compare.runs: there is no run …; there are: …",
        configured({"compare": {"runs": ["wide"]}}),
    ),
    Case(
        "…: the whole: Value error, runs.… has the name of a compared run with another seed; choose another",
        configured({"runs": {"default-seed1": {}}}),
    ),
    Case(
        NOT_WITHHELD,
        configured(
            OTHER_RUN | {"datasets": {"mine": DATASET | {"run": {"detector": "learner", "vocabulary": "small"}}}}
        ),
    ),
    Case(
        NOT_WITHHELD,
        configured(OTHER_RUN | {"runs": {"learned": {"detector": "learner"}}}, "plan", "mine_gt", "--run=learned"),
    ),
    Case(
        "config.yaml: sources.… and sources.… both fill …; change one",
        configured(
            {
                "sources": {
                    "mine": {
                        "file": "resources/a",
                        "mirrors": ["file:a"],
                        "provides": {"resources/refcoco/instances.json": None},
                    }
                }
            }
        ),
    ),
    Case("…: a detector of source precomputed has no network", no_network),
]
ASKED_FOR = [
    Case(NOT_CONFIGURED, configured({}, "describe", "--dataset", "refcoco")),
    Case(NOT_CONFIGURED, configured({}, "plan", "shapes_gt", "--run", "wide")),
    Case("…: unknown key …", workflow({"shape": {}}, "results/shapes_gt/metrics.json"), program="snakemake"),
]
CASES = NAMES + ASKED_FOR
