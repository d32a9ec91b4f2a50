"""`make load` runs every stage of a small dataset as the workflow does."""

import re
from pathlib import Path

from tests.long.load.__main__ import costs_of
from tests.long.load.measuring import written_to_a_file
from tests.long.load.stages import STAGES, commands, run_options
from tests.long.load.world import World, write_world

RULES = Path(__file__).parents[3] / "workflow/rules"


def test_every_stage_runs_with_the_options_of_its_rule_and_reports_that_it_reads_its_inputs(tmp_path):
    world = write_world(tmp_path, 200)
    rules = "".join(path.read_text() for path in sorted(RULES.glob("*.smk")))
    for stage, rule in STAGES.items():
        shell = re.search(rf"^rule {rule}:.*?shell:\n(.*?)(?:\n\n|\Z)", rules, re.M | re.S)[1]
        shared = {f"--{name}" for name in run_options(world)} if "{params.inputs}" in shell else set()
        shared |= {"--model"} if "{params.model}" in shell else set()
        found = {word for word in commands(world, 2)[stage] if word.startswith("--")}
        assert found == set(re.findall(r"--[\w-]+", shell)) | shared
    costs_of(world, 1)
    assert World(tmp_path).made("metrics.json").exists()
    for stage in ("training", "prediction", "scoring"):
        assert b"reading " in written_to_a_file(commands(world, 1)[stage])
