"""A user's mistake is one clear line and exit code 1, and nothing is written."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from jvgn.cli import MODULES, main
from jvgn.cli.options import own_threads, prepared_device
from jvgn.datasets.tables import IMAGES
from jvgn.regions.hdf5_store import Skipped
from jvgn.regions.shards import write_skipped
from jvgn.storage.parquet import write_table
from parsers.errors import UserError

ROOT = Path(__file__).parents[3]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def assert_one_line(result, *words):
    assert result.exit_code == 1, result.output
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("Error: "), result.stderr
    for word in words:
        assert word in lines[0]


def test_a_sentence_is_shown_as_its_graph():
    result = run("graph", "the white truck in front of the yellow one")
    assert result.exit_code == 0
    assert result.output.splitlines() == ["* truck (white)", "  └─ in front of → one (yellow)"]


def test_a_graph_is_printed_for_programs_and_drawn_into_a_file(tmp_path):
    result = run("graph", "a very red star", "--json", "--output", tmp_path / "a.svg")
    assert [node["head"] for node in json.loads(result.output)["nodes"]] == ["star"]
    assert "★ star" in (tmp_path / "a.svg").read_text()
    assert_one_line(run("graph", "a star", "--output", tmp_path / "a.png"), "a.png", ".svg, .dot, .json")
    assert_one_line(run("graph", "a star", "--conventions", "odd"), "'odd'", "written, factual")
    assert_one_line(run("graph", "a star", "--option", "models=x"), "'models'", "its options are: none")
    assert_one_line(run("graph", "a star", "--option", "models"), "expected key=value")


def test_settings_are_frozen_with_their_defaults(tmp_path):
    assert run("freeze", "evaluation", json.dumps({}), tmp_path / "e.yaml").exit_code == 0
    assert (tmp_path / "e.yaml").read_text() == "iou_threshold: 0.5\nheld_out: 500\nallow_leaking: false\n"
    assert_one_line(run("freeze", "evaluation", json.dumps({"iou": 1}), tmp_path / "f.yaml"), "unknown key iou")


def test_the_papers_model_has_the_papers_layers():
    result = run("describe", "--preset", "paper", "--dataset", "refcocog", "--config", ROOT / "config.yaml")
    assert result.exit_code == 0, result.stderr
    found = [line.split("  ") for line in result.output.splitlines()[2:]]
    rows = {cells[0].strip(): [cell.strip() for cell in cells[1:] if cell.strip()] for cells in found}
    assert rows["position of a region"] == ["5×512+512", "3,072"]
    assert rows["word vectors"] == ["6894×300", "2,068,200"]
    assert rows["sentence"][1] == "27,639,808" and rows["sentence, PyTorch's second biases"] == ["16,384"]
    assert rows["unary: projection"] == ["2560×2348+2348", f"{2560 * 2348 + 2348:,}"]
    assert rows["pairwise: projection"] == ["5120×2348+2348", f"{5120 * 2348 + 2348:,}"]
    assert rows["unary: score"] == rows["pairwise: score"] == ["2348×1+1", "2,349"]


def test_images_that_are_left_out_or_skipped_are_described(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"image_id": [1, 2], "file_name": ["a", "b"], "width": [1, 1], "height": [1, 1]}
    write_table("results/datasets/shapes/images.parquet", columns, IMAGES, left_out="3")
    skipped = [Skipped(1, -1, "unreadable"), Skipped(2, 7, "a box, outside")]
    write_skipped("results/regions/shapes_det/tiny.skipped.csv", skipped)
    result = run("describe", "--dataset", "shapes", "--words", 9, "--config", ROOT / "config.yaml")
    *_, images, regions = result.output.splitlines()
    assert images == "images of shapes: 2; 3 more have no expressions and are left out"
    assert regions == "images without regions in det: 1; results/regions/shapes_det/tiny.skipped.csv says why"


def test_every_command_with_a_configuration_takes_further_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").symlink_to(ROOT / "config.yaml")
    (tmp_path / "wide.yaml").write_text("runs: {wide: {model: {hidden_size: 40}}}")
    (tmp_path / "wider.yaml").write_text("runs: {wide: {model: {hidden_size: 41}}}")
    (tmp_path / "odd.yaml").write_text("runs: {wide: {modle: {}}}")
    both = ("--configfile", "wide.yaml", "--configfile", "wider.yaml")
    described = run("describe", "--dataset", "shapes", "--run", "wide", "--words", 50, *both)
    assert "1 × 41 LSTM" in described.output, described.output
    assert run("plan", "shapes_gt", "--run", "wide", *both).exit_code == 0
    takers = {name for name, command in main.commands.items() if any(one.name == "config" for one in command.params)}
    assert takers == {"describe", "plan", "fetch", "show", "explore"}
    for arguments in (["describe", "--dataset", "shapes"], ["plan", "shapes_gt"], ["fetch", "refcoco"]):
        assert_one_line(run(*arguments, *both, "--configfile", "odd.yaml"), "Error: odd.yaml: ", "modle")


def test_processes_on_one_machine_share_its_threads_and_have_a_gpu_each(monkeypatch):
    assert own_threads(8) == 8
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "99")
    assert (own_threads(8), own_threads(1)) == (4, 1)
    with pytest.raises(UserError, match="--device cuda:99: "):
        prepared_device("cuda", 2)


HEAVY = ("numpy", "pandas", "pyarrow", "pydantic", "torch", "matplotlib", "flask", "PIL")


def test_the_command_line_loads_nothing_heavy():
    """`jvgn --help` takes a moment: the target is 0.15 seconds beyond the interpreter's own start."""
    load = "import sys; from jvgn.cli import main; [*main.commands.values()]"
    code = f"{load}; sys.exit(' '.join(name for name in {HEAVY} if name in sys.modules) or 0)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def all_commands(group=main):
    for command in group.commands.values():
        yield command
        if isinstance(command, click.Group):
            yield from all_commands(command)


def test_every_option_says_what_it_is():
    options = [(each.name, one) for each in all_commands() for one in each.params if isinstance(one, click.Option)]
    assert [(command, option.name) for command, option in options if not option.help] == []


def test_the_commands_for_beginners_are_listed_first():
    names = list(main.commands)
    assert names[0] == "ground" and names.index("summary") < names.index("train")


@pytest.mark.parametrize(("module", "names"), MODULES.items(), ids=MODULES)
def test_the_command_line_offers_every_command_of_its_modules(module, names):
    commands = [
        value for value in vars(import_module(f"jvgn.cli.{module}")).values() if isinstance(value, click.Command)
    ]
    within = [command for group in commands if isinstance(group, click.Group) for command in group.commands.values()]
    assert {command.name for command in commands if command not in within} == set(names.split())
