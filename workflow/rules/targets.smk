"""Mistyped targets: Snakemake itself would only say that no rule makes such a file."""

import difflib
from itertools import product

from snakemake.cli import get_argument_parser
from snakemake.io import apply_wildcards, get_wildcard_names

NAMED = {
    "dataset": [*configuration.datasets],
    "training_set": [*configuration.training_sets],
    "trained_on": [*configuration.datasets, *configuration.training_sets],
    "detector": [*configuration.detectors],
    "parser": [*configuration.all_parsers],
    "vocabulary": [*configuration.vocabularies],
    "setting": ["gt", "det"],
    "run_folder": ["", *(f"{os.sep}runs/{run}" for run in configuration.all_runs if run != DEFAULT_RUN)],
    "table": [*RUNS_OF_TABLES],
}
"""The values of the wildcards that a user writes; shards and downloads are the workflow's own."""


def check_targets():
    """A target that nothing makes is an error that names what is near to it."""
    for asked in asked_targets():
        target = asked if os.path.isabs(asked) else os.path.relpath(asked)
        check_names(target)
        if not workflow.is_rule(asked) and not can_be_made(target):
            if target in {*source_of_download, *source_of}:
                raise WorkflowError(f"{asked}: is there already; delete it, if it shall be fetched again")
            raise WorkflowError(f"{asked}: no rule makes it; {advice(target)}")


def asked_targets():
    """Those of the command line, as Snakemake reads it. A job has none, nor has a program that calls Snakemake."""
    is_command = Path(sys.argv[0]).name in ("snakemake", "__main__.py")
    return get_argument_parser().parse_args(sys.argv[1:]).targets if workflow.is_main_process and is_command else []


def check_names(target):
    """What the configuration lacks for a target. Of what its inputs lack, Snakemake would show a traceback."""
    if found := re.match(r"results/(?P<dataset>[^/]+)_(?P<setting>gt|det)/(runs/(?P<run>[^/]+)/)?", target):
        dataset, run = found["dataset"], found["run"] or DEFAULT_RUN
        try:
            configuration.check_run(dataset, run)
        except UserError as error:
            raise WorkflowError(f"{target}: {error}") from None
        check_features(configuration.run(dataset, run).detector, found["setting"])
    if found := re.match(r"results/regions/[^/]+_(?P<setting>gt|det)/(?P<detector>[^/]+)\.h5$", target):
        check_features(found["detector"], found["setting"])
    if found := re.match(r"results/tables/(?P<table>\w+)\.", target):
        for needed in RUNS_OF_TABLES.get(found["table"], []):
            check_run_of_table(found["table"], needed)


def check_features(name, setting):
    """A precomputed detector has files of this setting."""
    detector = configuration.detectors.get(name)
    if detector and is_precomputed(detector):
        features_of(name, setting)


def advice(target):
    """What a user may have meant: for a folder some files that are made in it, else what is written alike."""
    known = makeable_targets()
    within = sorted((path for path in known if path.startswith(f"{target}/")), key=len)
    near = within[:4] or difflib.get_close_matches(target, known, n=3)
    return f"near to it: {', '.join(near)}" if near else "docs/data.md lists the files that can be made"


def makeable_targets():
    """Every rule and every file that a user can ask for by name."""
    files = {path for made_by in workflow.rules for pattern in made_by.output for path in spelled_out(pattern)}
    # A rule may take some of the values alone, as of the detectors those that are trained.
    return [*filter(can_be_made, sorted(files)), *(found.name for found in workflow.rules if not found.has_wildcards())]


def can_be_made(path):
    # In a storage elsewhere, files have names of that storage's making: Snakemake's to judge.
    is_elsewhere = workflow.storage_settings.default_storage_provider is not None
    return is_elsewhere or any(found.is_producer(path) for found in workflow.rules)


def spelled_out(pattern):
    """The files of a pattern, for all values of its wildcards; none if it has others than the user's."""
    names = sorted(get_wildcard_names(pattern))
    if not set(names) <= set(NAMED):
        return []
    return [apply_wildcards(pattern, dict(zip(names, values))) for values in product(*map(NAMED.get, names))]
