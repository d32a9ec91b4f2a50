import json

import pandas as pd
import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.evaluation.metrics import wilson_interval


@pytest.fixture
def answered(survey, tmp_path):
    """Writes what a rater answers: a function of the model, or a change of the file."""
    key = json.loads(survey[1].read_text())

    def write(rater, answer, changes=()):
        path = tmp_path / f"{rater}.json"
        answers = {number: answer(example["model"]) for number, example in key["examples"].items()}
        answers = {number: value for number, value in answers.items() if value}
        found = {"format": "1", "survey": key["survey"], "rater": rater, "answers": answers} | dict(changes)
        path.write_text(json.dumps(found))
        return path

    return write


def run(survey, *arguments):
    return CliRunner().invoke(main, ["survey", "tally", "--key", str(survey[1]), *map(str, arguments)])


def test_shares_are_counted_by_model_and_answer(survey, answered, tmp_path):
    first = answered("Ann", lambda model: 4 if model == "zebra" else 2)
    second = answered("Bob", lambda model: 3 if model == "zebra" else 2)
    result = run(survey, first, second, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    shares = pd.read_csv(tmp_path / "out/shares.csv").set_index(["model", "answer"])
    assert shares["of"].unique().tolist() == [10]
    expected = {"clear": 50, "mostly clear": 50, "mostly clear or clear": 100, "slightly clear": 0, "unclear": 0}
    assert shares.loc["zebra", "share"].to_dict() == expected
    assert shares.loc[("quokka", "slightly clear"), "share"] == 100
    row = shares.loc[("zebra", "clear")]
    assert (row["low"], row["high"]) == pytest.approx(wilson_interval(5, 10), abs=1e-3)
    agreement = pd.read_csv(tmp_path / "out/agreement.csv").set_index("model")
    assert agreement.loc["zebra", "same_answer"] == 0 and agreement.loc["quokka", "same_answer"] == 100
    assert agreement.loc["all", ["raters", "examples"]].tolist() == [2, 10]
    assert all((tmp_path / "out" / f"shares.{suffix}").stat().st_size > 5_000 for suffix in ("svg", "png"))
    assert "mostly clear or clear  100.0%" in result.output and "Krippendorff's alpha" in result.output


def test_a_rater_who_did_not_finish_is_named_and_still_counted(survey, answered):
    result = run(survey, answered("Ann", lambda model: 4), answered("Bob", lambda model: 1 if model == "zebra" else 0))
    assert result.exit_code == 0, result.stderr
    assert "Not all examples were rated by Bob (5 of 10)." in result.output
    assert "zebra: 10 ratings" in result.output and "quokka: 5 ratings" in result.output


def test_the_agreement_of_one_rater_is_not_known(survey, answered):
    result = run(survey, answered("Ann", lambda model: 4))
    assert result.exit_code == 0 and "agreement is not known" in result.output


CHANGES = {
    "an unknown example": {"answers": {"99": 1}},
    "an answer outside the scale": {"answers": {"1": 5}},
    "no answers": {"answers": {}},
    "words for numbers": {"answers": {"1": "clear"}},
}


@pytest.mark.parametrize("case", CHANGES)
def test_answers_that_do_not_fit_are_one_line(survey, answered, case):
    path = answered("Ann", lambda model: 4, CHANGES[case])
    assert run(survey, path).stderr.startswith(f"Error: {path}: ")
