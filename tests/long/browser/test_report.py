"""The demo's report in a real browser, opened from disk: every entry shows something, and no network is asked."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[3]
RUNS = [f"results/shapes_{setting}/report/results.html" for setting in ("gt", "det")]
CATEGORIES = ["1 Results", "2 Training", "3 Predictions", "4 Inputs", "5 Examples"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    if not all((ROOT / run).exists() for run in RUNS):
        pytest.skip("no demo to look at: make demo")
    path = tmp_path_factory.mktemp("report") / "report.html"
    command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--report", str(path), *RUNS]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    return path


def entries(browser, category):
    # By way of the menu, as a reader goes: Snakemake's list of entries is made anew only when it was gone.
    browser.execute_script("app.setView({navbarMode: 'menu', category: undefined, subcategory: undefined})")
    time.sleep(0.3)
    browser.execute_script("app.showCategory(arguments[0])", category)
    time.sleep(0.3)
    return browser.find_elements(By.CSS_SELECTOR, "tbody tr")


def shows_something(browser):
    """Whether a picture larger than the logo is drawn, or the page within the page has a heading."""
    pictures = browser.find_elements(By.TAG_NAME, "img")
    if any(browser.execute_script("return arguments[0].naturalWidth > 300", picture) for picture in pictures):
        return True
    frames = browser.find_elements(By.TAG_NAME, "iframe")
    if not frames:
        return False
    browser.switch_to.frame(frames[0])
    found = browser.find_elements(By.TAG_NAME, "h1")
    browser.switch_to.default_content()
    return bool(found)


def asked_for(browser):
    """The addresses that the page asked for, by what they begin with."""
    return set(
        browser.execute_script("return performance.getEntriesByType('resource').map((e) => e.name.split(':')[0])")
    )


def test_every_entry_shows_something_without_network(browser, keep, report):
    browser.get(report.as_uri())
    WebDriverWait(browser, 20).until(lambda page: "5 Examples" in page.find_element(By.TAG_NAME, "body").text)
    keep("report")
    described = browser.find_element(By.TAG_NAME, "body").text
    assert "Every object a sentence mentions" in described and "Out of date" not in described
    assert sorted(json.loads(browser.execute_script("return JSON.stringify(Object.keys(categories))"))) == CATEGORIES
    shown = set()
    for category in CATEGORIES:
        for place in range(len(entries(browser, category))):
            row = entries(browser, category)[place]
            if "numbers" in row.text:
                continue  # a table that is saved, not shown
            name = row.text
            shown.add(name.split("\n")[0])
            row.find_elements(By.CSS_SELECTOR, "a")[0].click()
            WebDriverWait(browser, 20).until(shows_something, f"{category}: {name} is blank")
            keep(f"report_{category[0]}_{place}")
    assert shown >= {
        "accuracy (tables)",
        "marginalisation (ablation)",
        "learning curves",
        "accuracy by size",
        "calibration",
    }
    assert len(shown) == 9 and "examples" in shown
    assert asked_for(browser) <= {"data"}
    # Snakemake's own style sheet warns of itself.
    said = [entry["message"] for entry in browser.get_log("browser")]
    assert all("tailwindcss.com should not be used in production" in message for message in said)
