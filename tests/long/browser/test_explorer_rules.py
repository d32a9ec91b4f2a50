"""The explorer with rules in a real browser: no run, no download."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[3]
SECONDS = 60


@pytest.fixture(scope="module")
def explored():
    """Start `jvgn explore` with options, and return its address. Ctrl-C must end it."""
    servers = []

    def start(*options):
        command = [sys.executable, "-m", "jvgn", "explore", *map(str, options), "--no-browser", "--port", "0"]
        server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        servers.append(server)
        return re.match(r"(http://127\.0\.0\.1:\d+/) explores", server.stdout.readline())[1]

    yield start
    for server in servers:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=SECONDS)
        assert server.returncode == 0


@pytest.fixture(scope="module")
def zebras(explored, tmp_path_factory):
    folder = tmp_path_factory.mktemp("zebras")
    Image.new("RGB", (300, 200), "#cda").save(folder / "a.png")
    boxes = [[10, 40, 100, 120], [180, 60, 100, 120]]
    notes = [{"id": key, "image_id": 1, "category_id": 1, "bbox": box} for key, box in enumerate(boxes)]
    images = [{"id": 1, "file_name": "a.png", "width": 300, "height": 200}]
    content = {"images": images, "annotations": notes, "categories": [{"id": 1, "name": "zebra"}]}
    (folder / "zebras.json").write_text(json.dumps(content))
    return explored("--annotations", folder / "zebras.json", "--images", folder)


@pytest.fixture
def opened(browser):
    """Open an address, and wait for the answer that it begins with."""

    def go(address):
        browser.get("about:blank")
        browser.get(address)
        WebDriverWait(browser, SECONDS).until(lambda _: browser.find_elements(By.CSS_SELECTOR, ".belief"))

    yield go
    browser.get("about:blank")


def rows(browser):
    return [row.text for row in browser.find_elements(By.CSS_SELECTOR, ".belief")]


def ground(browser, text):
    field = browser.find_element(By.ID, "text")
    field.clear()
    field.send_keys(text, Keys.ENTER)
    WebDriverWait(browser, SECONDS).until(
        lambda _: (
            browser.find_element(By.ID, "sentence").text == text
            and "busy" not in browser.find_element(By.TAG_NAME, "body").get_attribute("class")
        )
    )


@pytest.mark.parametrize("width, device", [(1280, "laptop"), (390, "phone")])
def test_without_any_option_it_opens_with_an_answer(browser, opened, explored, keep, sized, width, device):
    sized(width)
    opened(explored())
    assert browser.find_element(By.ID, "text").get_attribute("value")
    assert "region" in rows(browser)[0] and "Rules: " in rows(browser)[0]
    keep(f"explorer_rules_{device}")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_man_in_a_photograph_of_zebras_is_not_found(browser, opened, zebras, keep):
    opened(zebras)
    assert "region 1 zebra" in rows(browser)[0]
    ground(browser, "man on the bench")
    assert all("not found: 0.9" in row for row in rows(browser))
    assert browser.find_element(By.ID, "caption").text.endswith("Not found: 1 man, 2 bench.")
    assert not browser.find_elements(By.CSS_SELECTOR, "#boxes g")
    keep("explorer_not_found")
    ActionChains(browser).move_to_element(browser.find_element(By.CSS_SELECTOR, ".belief")).perform()
    assert len(browser.find_elements(By.CSS_SELECTOR, "#boxes g")) <= 2


def test_a_message_may_favour_not_found(browser, opened, zebras):
    opened(zebras)
    ground(browser, "the zebra near the bench")
    browser.find_element(By.ID, "first").click()
    browser.find_element(By.ID, "next").click()
    assert "Message 1 of 2" in browser.find_element(By.ID, "telling").text
    assert "not found" in rows(browser)[1]
