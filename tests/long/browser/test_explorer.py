"""The explorer in a real browser: `jvgn explore` on the demo's run."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from jvgn import Grounder

ROOT = Path(__file__).parents[3]
RUN = ROOT / "results/shapes_det"
IMAGES = ROOT / "resources/shapes/images"
SECONDS = 30


@pytest.fixture(scope="module")
def address():
    """Yield the address of a running explorer. Ctrl-C must end it without any output."""
    if not (RUN / "model.safetensors").exists():
        pytest.skip("no demo to explore: make demo")
    command = [sys.executable, "-m", "jvgn", "explore", str(RUN), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            yield re.match(r"(http://127\.0\.0\.1:\d+/) explores", server.stdout.readline())[1]
            server.send_signal(signal.SIGINT)
            assert server.communicate(timeout=SECONDS) == ("", "")
            assert server.returncode == 0
        finally:
            server.kill()  # one that does not end is an error, and nobody waits for it


@pytest.fixture(scope="module")
def grounder():
    return Grounder.load(RUN)


@pytest.fixture(scope="module")
def expression():
    """One of the val split that mentions two objects or more: its text and the file of its image."""
    expressions = pd.read_parquet(ROOT / "results/datasets/shapes/expressions.parquet")
    edges = pd.read_parquet(ROOT / "results/graphs/shapes/lexical/edges.parquet").groupby("expression_id").size()
    related = edges.index[edges >= 2]
    chosen = expressions[(expressions["split"] == "val") & expressions["expression_id"].isin(related)].iloc[0]
    images = pd.read_parquet(ROOT / "results/datasets/shapes/images.parquet").set_index("image_id")
    return chosen["text"], chosen["image_id"], IMAGES / images.loc[chosen["image_id"], "file_name"]


class Page:
    """Actions of a person on the page, and what the page shows."""

    def __init__(self, browser, address):
        self.browser = browser
        browser.get("about:blank")
        browser.get(address)
        self.wait(lambda: self.one("#count").text)

    def wait(self, condition):
        return WebDriverWait(self.browser, SECONDS).until(lambda _: condition())

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def upload(self, path):
        before = self.picture()
        self.one("#file").send_keys(str(path))
        self.settle()
        self.wait(lambda: self.error() or self.picture() not in (None, before))

    def picture(self):
        found = self.all("#image image")
        return found[0].get_attribute("href") if found else None

    def error(self):
        return self.one("#error").text

    def ground(self, text):
        self.one("#text").clear()
        self.one("#text").send_keys(text, Keys.ENTER)
        self.settle()

    def settle(self):
        self.wait(lambda: "busy" not in self.one("body").get_attribute("class"))

    def edit(self, label, text):
        field = self.one(f"#draft [aria-label='{label}']")
        field.clear()
        field.send_keys(text)

    def ground_draft(self):
        self.one("#ground-draft").click()
        self.settle()

    def beliefs(self):
        """Each object's phrase with its best region and that region's probability, as written."""
        found = re.compile(r"\d+ (.*)region (\d+): ([\d.]+) now", re.S)
        rows = [found.match(row.text).groups() for row in self.all(".belief")]
        return [(phrase.strip(), int(region) - 1, probability) for phrase, region, probability in rows]


@pytest.fixture
def page(browser, address):
    yield Page(browser, address)
    browser.get("about:blank")  # or it would ask for pictures when there is no server any more


@pytest.fixture
def refused(browser, page):
    """Allow the browser's own note in its console that a request was refused, and nothing else."""
    yield
    assert [entry["message"] for entry in browser.get_log("browser") if "(BAD REQUEST)" not in entry["message"]] == []


def expected(answer, belief):
    return [
        (answer.phrase(node), int(values.argmax()), f"{values.max():.2f}")
        for node, values in enumerate(getattr(answer, belief))
    ]


def test_an_uploaded_image_is_grounded_as_the_grounder_does(page, grounder, expression, keep):
    text, _, path = expression
    page.upload(path)
    page.ground(text)
    answer = grounder.answer(Image.open(path), text)  # without its path, its regions are detected
    assert page.beliefs() == expected(answer, "marginal_KN")
    page.one("#first").click()
    assert page.beliefs() == expected(answer, "unary_KN")
    keep("explorer_before")


def test_each_message_changes_the_belief_of_its_target(page, expression, keep):
    text, image_id, _ = expression
    page.browser.get(f"{page.browser.current_url.split('#')[0]}#picture={image_id}&text={text.replace(' ', '+')}")
    page.browser.refresh()
    page.wait(lambda: page.all(".belief"))
    last = page.beliefs()
    count = int(page.one("#step").get_attribute("max"))
    assert count == 2 * len(page.all("#graph [data-edge]")) >= 4
    page.one("#first").click()
    before = page.beliefs()
    for step in range(1, count + 1):
        page.one("body").send_keys(Keys.ARROW_RIGHT)
        arrow = page.one("#graph .sent")
        target = int(arrow.get_attribute("data-to"))
        assert f"Message {step} of {count}" in page.one("#telling").text
        now = page.beliefs()
        assert [row for node, row in enumerate(now) if node != target] == [
            row for node, row in enumerate(before) if node != target
        ]
        assert f"to {now[target][2]}." in page.one("#telling small").text
        before = now
        keep(f"explorer_message_{step}")
    assert before == last


def test_hovering_a_relation_lights_both_its_ends(page, expression):
    text, _, path = expression
    page.upload(path)
    page.ground(text)
    ActionChains(page.browser).move_to_element(page.one("#graph [data-edge='0'] text")).perform()
    lit = {int(part.get_attribute("data-node")) for part in page.all(".belief.lit")}
    assert len(lit) == 2
    assert {int(part.get_attribute("data-node")) for part in page.all("#boxes g")} == lit


def test_an_edited_graph_is_grounded_anew(page, grounder, expression, keep):
    text, _, path = expression
    page.upload(path)
    page.ground(text)
    plain = page.beliefs()
    page.one("summary").click()
    page.ground_draft()
    assert page.beliefs() == plain and page.one("#remarks").text == ""
    page.edit("object 2", "heart")
    page.edit("attributes of object 2, with commas between them", "small, red")
    page.one("#relations button[title^='turn']").click()
    page.ground_draft()
    assert page.beliefs()[1][0] == "small red heart"
    assert "small red heart" in page.one("#remarks").text
    keep("explorer_edited")
    page.one("#reset").click()
    page.settle()
    assert page.beliefs() == plain


@pytest.mark.parametrize("text", ["<script>alert(1)</script> star", '"><img src=x onerror=alert(1)> star'])
def test_markup_is_text(page, expression, text):
    page.upload(expression[2])
    page.ground(text)
    assert page.one("#sentence").text.replace(" ", "") == text.replace(" ", "")
    page.one("summary").click()
    page.edit("object 1", text)
    page.ground_draft()
    assert text.split()[-1] in page.one("#remarks").text
    assert len(page.all("script")) == 3 and not page.all("img[src='x']")


def test_mistakes_are_reported_in_one_line(page, refused, tmp_path):
    page.ground("star")
    assert page.error() == "Choose or upload a picture first."
    other = tmp_path / "picture.png"
    other.write_text("<svg><script>alert(1)</script></svg>")
    page.upload(other)
    assert page.error().startswith("the upload is not a readable image")
    other.write_bytes(bytes(21 * 2**20))
    page.upload(other)
    assert page.error() == "This file has more than 20 MB; make the picture smaller."


def test_the_datasets_pictures_are_found_by_their_words(page, expression):
    text = expression[0]
    assert len(page.all("#list a")) == 60
    page.one("#words").send_keys(text)
    assert page.one("#count").text.startswith("1 of ")
    page.one("#list a").click()
    page.wait(page.picture)
    page.wait(lambda: page.all("#suggestions button"))[0].click()
    page.wait(lambda: page.all(".belief"))


@pytest.mark.parametrize("width, device", [(1280, "laptop"), (390, "phone")])
def test_nothing_is_wider_than_the_screen(browser, page, expression, keep, sized, width, device):
    sized(width)
    page.upload(expression[2])
    page.ground(expression[0])
    page.one("summary").click()
    ActionChains(browser).move_to_element(page.one("h1")).perform()
    browser.execute_script("scrollTo(0, 0)")
    keep(f"explorer_{device}")
    sized(width, 2400)
    keep(f"explorer_{device}_whole")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
