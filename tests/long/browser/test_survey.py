"""The survey's form in a real browser, opened from disk, and its answers tallied."""

import json
import time
from zlib import crc32

import pytest
from click.testing import CliRunner
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from jvgn.cli import main
from jvgn.views.survey.form import write_form
from jvgn.views.survey.rated_models import FileModel

HOSTILE = "<script>alert(1)</script> star"
SENTENCES = [HOSTILE, "the small red star left of a ring", "a ring"]


def grounded(sentence, sure):
    star = {"phrase": sentence, "box": [5, 5, 25, 25], "before": 0.31, "after": sure, "is_referent": True}
    ring = {"phrase": "ring", "box": [40, 10, 60, 30], "before": 0.5, "after": 0.9}
    relations = [{"subject": 0, "relation": "left of", "object": 1}]
    return json.dumps({"image": "7.png", "sentence": sentence, "objects": [star, ring], "relations": relations})


@pytest.fixture
def form(browser, request, tmp_path):
    """A form of three sentences and two models. Each test has its own survey, because the browser remembers answers."""
    Image.new("RGB", (96, 64), "#bbccdd").save(tmp_path / "7.png")
    models = []
    for name, sure in (("a", 0.97), ("b", 0.42)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(grounded(sentence, sure) for sentence in SENTENCES))
        models.append(FileModel(name, path, None))
    write_form(models, 3, crc32(request.node.name.encode()), tmp_path / "form.html", tmp_path / "key.json")
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    browser.get((tmp_path / "form.html").as_uri())
    return tmp_path


def shown(browser):
    return [part for part in ("start", "example", "end") if browser.find_element(By.ID, part).is_displayed()]


def start(browser, name="Ann B."):
    browser.find_element(By.ID, "rater").send_keys(name, Keys.ENTER)


def press(browser, *keys):
    for key in keys:
        browser.find_element(By.TAG_NAME, "body").send_keys(key)


def saved_file(folder):
    for _ in range(50):
        found = list(folder.glob("answers-*.json"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError("nothing was saved")


def test_a_rater_answers_by_keyboard_saves_and_is_tallied(browser, form):
    assert shown(browser) == ["start"] and "★ marks" in browser.find_element(By.ID, "start").text
    start(browser)
    assert shown(browser) == ["example"]
    assert browser.find_element(By.ID, "question").text == "How clearly can you understand the grounding process?"
    press(browser, "4", "3", "2", "1", "4", "4")
    assert shown(browser) == ["end"] and "all 6 are rated" in browser.find_element(By.ID, "done").text
    browser.find_element(By.ID, "save").click()
    answers = saved_file(form)
    assert answers.name.startswith("answers-Ann-B-")
    found = json.loads(answers.read_text())
    assert found["answers"] == {"1": 4, "2": 3, "3": 2, "4": 1, "5": 4, "6": 4} and found["rater"] == "Ann B."
    tallied = CliRunner().invoke(main, ["survey", "tally", "--key", str(form / "key.json"), str(answers)])
    assert tallied.exit_code == 0, tallied.stderr


def test_answers_survive_a_closed_tab(browser, form):
    start(browser)
    press(browser, "4", "3")
    browser.get("about:blank")
    browser.get((form / "form.html").as_uri())
    assert shown(browser) == ["example"]
    assert browser.find_element(By.ID, "count").text == "Example 3 of 6 · 2 rated"
    press(browser, Keys.ARROW_LEFT)
    pressed = browser.find_elements(By.CSS_SELECTOR, "#scale [aria-pressed='true']")
    assert [button.text for button in pressed] == ["3mostly clear"]


def test_an_answer_can_be_changed_and_what_is_left_is_named(browser, form):
    start(browser)
    press(browser, "1", Keys.ARROW_LEFT)
    browser.find_elements(By.CSS_SELECTOR, "#scale button")[3].click()
    assert browser.find_element(By.ID, "count").text == "Example 2 of 6 · 1 rated"
    browser.find_element(By.ID, "finish").click()
    assert "5 examples are left" in browser.find_element(By.ID, "missing").text
    browser.find_element(By.ID, "back").click()
    assert browser.find_element(By.ID, "count").text == "Example 2 of 6 · 1 rated"


def test_an_example_shows_objects_beliefs_and_relations_as_text(browser, form):
    start(browser)
    key = json.loads((form / "key.json").read_text())["examples"]
    for number in range(1, 7):
        example = key[str(number)]
        assert browser.find_element(By.ID, "sentence").text == f"“{example['sentence']}”"
        sure = {"a": "97%", "b": "42%"}[example["model"]]
        first, second = browser.find_elements(By.CSS_SELECTOR, "#objects li")
        assert first.text.split("\n") == [f"1 {example['sentence']} ★", "before", "31%", "after", sure]
        assert second.text.startswith("2 ring")
        assert browser.find_element(By.ID, "relations").text == f"1 {example['sentence']} — left of → 2 ring"
        assert len(browser.find_elements(By.CSS_SELECTOR, "#image .object")) == 2
        press(browser, Keys.ARROW_RIGHT)
    assert len(browser.find_elements(By.TAG_NAME, "script")) == 2


@pytest.mark.parametrize("width, device", [(1280, "laptop"), (390, "phone")])
def test_nothing_is_wider_than_the_screen(browser, form, keep, width, device):
    metrics = {"width": width, "height": 850, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.refresh()
    keep(f"survey_start_{device}")
    widths = [browser.execute_script("return document.documentElement.scrollWidth")]
    start(browser)
    keep(f"survey_{device}")
    widths.append(browser.execute_script("return document.documentElement.scrollWidth"))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert max(widths) <= width
