"""Memory and time that each rule asks for. The workflow and `jvgn plan` both read this table.

Both grow with every attempt, because a scheduler ends a job that takes more than it asked for. The time of a job that
resumes does not grow: the next attempt continues where the last one stopped.
"""

from typing import NamedTuple


class Request(NamedTuple):
    """The memory and the time that a rule asks for."""

    megabytes: int | None
    """None: depends on the settings; see `parser_megabytes`."""
    minutes: int
    resumes: bool = False


SMALL = Request(2_000, 10)

REQUESTS = {
    "make_world": Request(1_000, 10),
    # Downloads
    "download_source": Request(500, 1_440, resumes=True),
    "provide_file": Request(500, 60),
    "provide_folder": Request(500, 240),
    "fetch_corenlp": Request(1_000, 60),
    # Datasets
    "read_dataset": Request(8_000, 30),
    "read_custom": Request(8_000, 30),
    "read_entities": Request(8_000, 60),
    "read_training_set": Request(8_000, 30),
    # Detectors
    "exclude_images": SMALL,
    "train_detector": Request(16_000, 1_440, resumes=True),
    "adopt_detector": Request(4_000, 30),
    "measure_detector": Request(8_000, 120),
    "declare_detector": Request(1_000, 10),
    "prove_detector": SMALL,
    # Regions
    "extract_regions": Request(8_000, 240, resumes=True),
    "import_regions": Request(4_000, 720),
    "merge_regions": Request(2_000, 120),
    "measure_recall": Request(4_000, 30),
    # Graphs and vocabularies
    "parse_expressions": Request(None, 60),
    "parse_shard": Request(None, 240),
    "merge_shards": Request(2_000, 30),
    "adopt_graphs": Request(4_000, 30),
    "build_vocabulary": Request(2_000, 60),
    "sweep_vocabulary": SMALL,
    # Runs
    "weigh_rules": Request(16_000, 240),
    "train": Request(16_000, 1_440, resumes=True),
    "predict": Request(16_000, 120),
    "score": Request(4_000, 30),
    "ablate": Request(2_000, 10),
    "compare": SMALL,
    "write_gallery": Request(4_000, 30),
    "write_table": Request(1_000, 10),
    # Figures and pages
    "draw_examples": SMALL,
    "draw_learning": SMALL,
    "draw_sizes": SMALL,
    "draw_calibration": SMALL,
    "draw_ablation": SMALL,
    "draw_coverage": SMALL,
    "draw_recall": SMALL,
    "draw_average_precision": SMALL,
    "show_examples": SMALL,
    "show_paper_table": SMALL,
    "write_results": SMALL,
}


def parser_megabytes(backend: str, threads: int) -> int:
    """Return the memory of a parsing job. CoreNLP starts a Java process of up to 2 GB for each thread."""
    return threads * (4_500 if backend == "corenlp" else 2_000)
