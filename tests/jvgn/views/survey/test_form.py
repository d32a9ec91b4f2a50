import json
import os
import re
from pathlib import Path

from jvgn.views.survey.form import write_form
from jvgn.views.survey.rated_models import FileModel, RunModel, read_models

from .conftest import SENTENCES, line

ROOT = Path(__file__).parents[4]


def data_of(form):
    page = form.read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_every_model_grounds_the_same_sentences_and_the_key_tells_them_apart(survey):
    form, key = data_of(survey[0]), json.loads(survey[1].read_text())
    assert form["survey"] == key["survey"]
    assert [example["id"] for example in form["examples"]] == list(key["examples"]) == list(map(str, range(1, 11)))
    by_model = {}
    for example in form["examples"]:
        behind = key["examples"][example["id"]]
        assert behind["sentence"] == example["sentence"] and behind["image"] == "7.png"
        expected = {"zebra": 5, "quokka": 30}[behind["model"]]
        assert example["objects"][0]["box"][0] == expected
        by_model.setdefault(behind["model"], []).append(example["sentence"])
    assert sorted(by_model["zebra"]) == sorted(by_model["quokka"]) and len(set(by_model["zebra"])) == 5


def test_the_form_does_not_name_the_models(survey):
    page = survey[0].read_text()
    assert "zebra" not in page and "quokka" not in page


def test_examples_of_all_models_are_written_alike(survey):
    """The referent comes first, relations follow it, and every example has the same keys."""
    for example in data_of(survey[0])["examples"]:
        assert [one["is_referent"] for one in example["objects"]] == [True, False]
        assert example["relations"] == [{"subject": 0, "relation": "left of", "object": 1}]
        assert {frozenset(one) for one in example["objects"]} == {
            frozenset({"phrase", "box", "is_referent", "before", "after"})
        }


def test_information_that_one_model_lacks_is_shown_for_no_model(written, tmp_path):
    bare = [line(sentence, [1, 1, 9, 9]) for sentence in SENTENCES]
    for one in bare:
        del one["relations"]
        one["objects"] = [{key: part[key] for key in part if key != "before"} for part in one["objects"]]
    full = [line(sentence, [5, 5, 25, 25]) for sentence in SENTENCES]
    models = [FileModel(name, written(name, lines), None) for name, lines in (("a", full), ("b", bare))]
    write_form(models, 4, 0, tmp_path / "form.html", tmp_path / "key.json")
    for example in data_of(tmp_path / "form.html")["examples"]:
        assert example["relations"] == [] and all("before" not in one for one in example["objects"])


def test_a_seed_gives_one_form_and_another_seed_another(models, tmp_path):
    def made(seed):
        write_form(models, 5, seed, tmp_path / "again.html", tmp_path / "again.json")
        return (tmp_path / "again.html").read_text(), (tmp_path / "again.json").read_text()

    assert made(3) == made(3)
    assert made(3)[0] != made(4)[0]
    assert json.loads(made(3)[1])["survey"] != json.loads(made(4)[1])["survey"]


def test_the_form_refers_to_nothing_outside_itself_and_text_stays_text(written, tmp_path):
    markup = "</script><script>alert(1)</script> {{data}}"
    model = FileModel("a", written("a", [line(markup, [5, 5, 25, 25])]), None)
    write_form([model], 1, 0, tmp_path / "form.html", tmp_path / "key.json")
    page = (tmp_path / "form.html").read_text()
    assert page.count("<script") == 2 and data_of(tmp_path / "form.html")["examples"][0]["sentence"] == markup
    assert "https://" not in page and not re.search(r'(?:src|href)="(?!data:|#)', page.split('id="data"')[0])


def test_images_of_a_run_are_found_from_any_working_directory(tmp_path, monkeypatch):
    """Paths in config.yaml are relative to the project, which holds the results."""
    project = tmp_path / "project"
    run = project / "results/shapes_det"
    run.mkdir(parents=True)
    (run / "model.safetensors").touch()
    (project / "config.yaml").write_text((ROOT / "config.yaml").read_text())
    opened = []
    monkeypatch.setattr(RunModel, "__init__", lambda self, name, run, split, images: opened.append(images))
    for folder in (project, tmp_path, run):
        monkeypatch.chdir(folder)
        read_models((f"a={os.path.relpath(run)}",), "test", None)
    assert opened == [project / "resources/shapes/images"] * 3
    read_models((f"a={run}",), "test", tmp_path / "elsewhere")
    assert opened[-1] == tmp_path / "elsewhere"
