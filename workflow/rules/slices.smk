"""Slices of the code. A stage lists its own, so that an edit reruns what depends on it and nothing else."""

BASE = [
    "jvgn/__init__.py",
    "jvgn/settings/__init__.py",
    "jvgn/settings/base.py",
    "parsers/__init__.py",
    "parsers/files.py",
    "parsers/listening.py",
    "parsers/plain_json.py",
    "parsers/plain_yaml.py",
    "parsers/shown_text.py",
    "parsers/unfolding.py",
]
DOWNLOAD = [
    *BASE,
    "jvgn/bounded.py",
    "jvgn/settings/source.py",
    "jvgn/sources/__init__.py",
    "jvgn/sources/part.py",
    "jvgn/sources/unpacking.py",
    "jvgn/sources/verification.py",
    "parsers/hashes.py",
]
TABLES = [
    *BASE,
    "jvgn/datasets/__init__.py",
    "jvgn/datasets/tables.py",
    "parsers/plain_parquet.py",
    "parsers/scene_graph.py",
    "parsers/table.py",
]
COCO = ["jvgn/boxes.py", "jvgn/datasets/coco.py"]
CUSTOM = [
    "jvgn/datasets/custom.py",
    "jvgn/datasets/custom_rows.py",
    "jvgn/datasets/records.py",
    "jvgn/settings/custom.py",
    "parsers/tokens.py",
]
REGIONS = [
    *TABLES,
    "jvgn/boxes.py",
    "jvgn/regions/__init__.py",
    "jvgn/regions/opening.py",
    "jvgn/regions/store.py",
    "jvgn/regions/trial.py",
    "jvgn/sink.py",
]
SHARDS = [*REGIONS, "jvgn/regions/bad_input.py", "jvgn/regions/shards.py"]
DETECTOR = [
    *TABLES,
    "jvgn/regions/__init__.py",
    "jvgn/datasets/array_pickle.py",
    "jvgn/interruption.py",
    "jvgn/picture_file.py",
    "jvgn/plain_checkpoint.py",
    "jvgn/regions/detector.py",
    "jvgn/regions/detectron2_source.py",
    "jvgn/regions/images.py",
    "jvgn/regions/provenance.py",
    "jvgn/regions/source.py",
    "jvgn/regions/sources.py",
    "jvgn/regions/tiny.py",
    "jvgn/regions/weights.py",
    "jvgn/settings/detector.py",
    "jvgn/settings/regions.py",
    "parsers/hashes.py",
    "parsers/plain_pickle.py",
]
VOCABULARY = ["jvgn/bounded.py", "jvgn/glove.py", "jvgn/plain_arrays.py", "jvgn/vocabulary.py"]
MODEL = [
    *REGIONS,
    *VOCABULARY,
    "jvgn/batches.py",
    "jvgn/examples.py",
    "jvgn/belief_propagation.py",
    "jvgn/checkpoint.py",
    "jvgn/factor_graph.py",
    "jvgn/inputs.py",
    "jvgn/joint_decoding.py",
    "jvgn/model.py",
    "jvgn/plain_checkpoint.py",
    "jvgn/potentials.py",
    "jvgn/settings/run.py",
    "parsers/plain_pickle.py",
]


def sources(*paths, without=None):
    """The files behind a stage's command: as inputs, they make the stage rerun when they change."""
    # Relative, so that a project that was moved or copied is still the same.
    root = Path(os.path.relpath(workflow.basedir))
    found = []
    for path in (root / path for path in paths):
        kinds = ("*.py", "*.txt", "*.java")
        found += sorted(file for kind in kinds for file in path.rglob(kind)) if path.is_dir() else [path]
    return [path for path in found if without is None or not path.is_relative_to(root / without)]
