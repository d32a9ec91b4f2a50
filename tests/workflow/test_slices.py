"""A rule names the modules of its command, so that it reruns when their code changes and not otherwise."""

import ast
import inspect
import re
import textwrap
from pathlib import Path

import click
import grimp
import pytest

from jvgn.cli import main

ROOT = Path(__file__).parents[2]


TARGETS = [
    "demo",
    "results/shapes_gt/compare.csv",
    "results/shapes_gt/runs/both/metrics.json",
    "results/shapes_gt/runs/rival/predictions.parquet",
    "results/vocabulary/shapes/sweep.csv",
    "results/datasets/mine/expressions.parquet",
    "results/datasets/flickr/expressions.parquet",
    "results/detectors/drawn/elsewhere/weights.safetensors",
    "results/detectors/shapes/given/proof.json",
    "resources/weights/resnet101.pth",
    "resources/coco/train2014.ready",
    "results/detectors/shapes/theirs/proof.json",
    "results/regions/shapes_det/theirs.recall.json",
    "results/tables/supporting.csv",
    "results/tables/mine.html",
]


def configured(config):
    """The configuration with detectors of every kind: given ones, imported ones, ones of a training set."""
    drawn = {"annotations": {"images": "resources/shapes/instances.json"}, "images": "resources/shapes"}
    config["training_sets"]["drawn"] = drawn | {"withhold": ["shapes"]}
    config["detectors"]["elsewhere"] = {"backbone": "tiny", "trained_on": "drawn"}
    config["detectors"]["given"] = {"backbone": "tiny", "weights": "given.safetensors"}
    config["detectors"]["theirs"] = {"source": "precomputed", "format": "tsv", "detections": "theirs.tsv"}
    config["runs"]["both"] = {"potentials": "both"}
    config["runs"]["rival"] = {"model": {"kind": "cmn"}}
    run = config["datasets"]["shapes"]["run"]
    config["datasets"]["mine"] = {"annotations": "a.json", "expressions": "a.csv", "images": "pictures", "run": run}
    files = {"entities": "a.json", "split_lists": ".", "images": "photographs"}
    config["datasets"]["flickr"] = files | {"run": run}
    return config


def rule_inputs(project):
    """For each rule behind the targets, and for each behind the rival: its shell command and the code that it lists."""
    plan = project.snakemake("--dry-run", "--forceall", "--printshellcmds", "--", *TARGETS)
    assert plan.returncode == 0, plan.stderr
    rules = {}
    for block in (plan.stdout + plan.stderr).split("\n["):
        name = re.search(r"^(?:local)?rule (\w+):", block, re.M)
        command = re.search(r"^Shell command: python -m jvgn (\S+)(?: (\w\S*))?", block, re.M)
        if name and command:
            inputs = re.search(r"^ +input: (.*)$", block, re.M)[1].split(", ")
            code = {path for path in inputs if path.startswith(("jvgn/", "parsers/"))}
            is_rivals = re.search(r"^ +output: .*/runs/rival/", block, re.M)
            rules[f"{name[1]} a rival" if is_rivals else name[1]] = (command.groups(), code)
    return rules


def entry_modules(name, subcommand):
    """The modules that a command imports when it is called."""
    found = main.commands[name]
    called = found.commands[subcommand] if isinstance(found, click.Group) else found
    source = textwrap.dedent(inspect.getsource(called.callback))
    imports = [node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return {module for module in imports if module.split(".")[0] in ("jvgn", "parsers")}


def files_behind(graph, modules):
    """The modules and everything that they import."""
    behind = set(modules).union(*map(graph.find_upstream_modules, modules))
    paths = [ROOT.joinpath(*module.split(".")) for module in behind]
    return {
        (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).relative_to(ROOT).as_posix()
        for path in paths
    }


@pytest.fixture(scope="module")
def rules(another_project, miniature):
    project = another_project()
    project.configure(configured(miniature()))
    for name in ("given.safetensors", "theirs.tsv", "a.json", "a.csv", "pictures", "results/tables/mine.csv"):
        (project.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / name).touch()
    (project.folder / "photographs").mkdir()
    for split in ("train", "val", "test"):
        (project.folder / f"{split}.txt").touch()
    return rule_inputs(project)


def test_rules_list_the_code_that_their_commands_import(rules):
    assert len(rules) > 40
    missing, graph = {}, grimp.build_graph("jvgn", "parsers")
    for rule, (command, listed) in rules.items():
        unlisted = files_behind(graph, entry_modules(*command)) - listed
        if unlisted:
            missing[rule] = sorted(unlisted)
    assert not missing


@pytest.mark.parametrize(
    ("rule", "foreign"),
    [
        ("extract_regions", "jvgn/training/run.py"),
        ("extract_regions", "parsers/lexical/__init__.py"),
        ("merge_regions", "jvgn/regions/extraction.py"),
        ("merge_regions", "jvgn/regions/recall.py"),
        ("train_detector", "parsers/lexical/__init__.py"),
        ("train", "parsers/lexical/__init__.py"),
        ("train", "jvgn/evaluation/score.py"),
        ("train", "jvgn/rules/rule_potentials.py"),
        ("train", "jvgn/rivals/rival.py"),
        ("train a rival", "jvgn/rivals/mil.py"),
        ("predict", "jvgn/rules/rule_potentials.py"),
        ("predict", "jvgn/rivals/rival.py"),
        ("predict", "jvgn/evaluation/score.py"),
        ("read_dataset", "jvgn/datasets/custom.py"),
        ("read_custom", "jvgn/datasets/refer.py"),
        ("read_entities", "jvgn/datasets/refer.py"),
        ("parse_expressions", "jvgn/model.py"),
        ("parse_expressions", "parsers/tools/graph_drawing.py"),
    ],
)
def test_rules_list_no_code_of_other_stages(rules, rule, foreign):
    assert (ROOT / foreign).exists() and foreign not in rules[rule][1]


@pytest.mark.parametrize("rule", ["train a rival", "predict a rival"])
def test_a_rival_depends_on_its_own_code(rules, rule):
    found = {file for file in rules[rule][1] if file.startswith("jvgn/rivals/")}
    assert found == {f"jvgn/rivals/{name}.py" for name in ("cmn", "parts", "rival")}


def test_parsing_depends_on_the_java_code_that_it_runs(rules):
    assert "parsers/corenlp/Feeder.java" in rules["parse_expressions"][1]


PATH = (
    *("read_dataset", "extract_regions", "merge_regions", "measure_recall", "parse_expressions"),
    *("build_vocabulary", "train", "predict", "score"),
)
"""The rules that one expression passes through, from REFER's pickle to metrics.json."""
INFRASTRUCTURE = ("jvgn/storage/", "jvgn/runtime/", "jvgn/cli/", "parsers/errors.py")
NOT_CHOSEN = (
    *("parsers/trees/", "parsers/corenlp/"),
    *("jvgn/detector/detectron2_backend.py", "jvgn/detector/torchvision_coco.py"),
)
"""Other parsers than the lexical one, and other detectors."""


def test_one_expression_passes_through_few_files(rules):
    """CONTRIBUTING.md describes its path. Word lists are no code."""
    path = {
        file for rule in PATH for file in rules[rule][1] if file.endswith(".py") and not file.startswith(NOT_CHOSEN)
    }
    assert len(path) <= 61
    assert len([file for file in path if file.startswith(INFRASTRUCTURE)]) <= 8
    assert len([file for file in rules["train"][1] if not file.startswith(NOT_CHOSEN)]) <= 30
