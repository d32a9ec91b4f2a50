"""Why a job has failed is told last, and nothing of other runs is."""

import subprocess
import sys
from pathlib import Path

RULES = Path(__file__).parents[2] / "workflow" / "rules"
FAILING = f"""
import sys
from pathlib import Path

include: "{RULES}/failures.smk"

onerror:
    tell_of_failures()

rule all:
    input: "bad", "good"

rule good:
    output: "good"
    log: "logs/good.log"
    shell: "touch {{output}}; echo no Error: here > {{log}}"

rule bad:
    input: "good"
    output: "bad"
    log: "logs/bad.log"
    shell: "(echo much; echo 'Error: this was it; do that'; echo more) > {{log}}; exit 1"
"""


def test_the_errors_of_this_run_are_told_and_no_others(tmp_path):
    (tmp_path / "Snakefile").write_text(FAILING)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "other.log").write_text("Error: of another run\n")
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 1
    assert [line for line in run.stderr.splitlines() if line.startswith("Error: ")] == ["Error: this was it; do that"]


def test_errors_of_an_earlier_run_are_not_told_again(tmp_path):
    """Snakemake stops here before it comes to the job whose log is old."""
    (tmp_path / "Snakefile").write_text(FAILING.replace("touch {output}", "false"))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "bad.log").write_text("Error: of another run\n")
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 1 and "Error in rule good" in run.stderr
    assert "Error: of another run" not in run.stderr
