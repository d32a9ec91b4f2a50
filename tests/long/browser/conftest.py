"""Debian's Chromium without a window: make browser."""

import os
import shutil
from pathlib import Path

import pytest

SCREENSHOTS = Path(os.environ.get("JVGN_SCREENSHOTS", Path(__file__).parents[3] / "screenshots"))


@pytest.fixture(scope="session", autouse=True)
def _asked_for():
    if not os.environ.get("JVGN_BROWSER"):
        pytest.skip("the pages are tested in Chromium by: make browser")


@pytest.fixture(scope="session")
def chromium():
    driver, browser = shutil.which("chromedriver"), shutil.which("chromium")
    assert driver and browser, "install Debian's chromium and chromium-driver"
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture
def browser(chromium):
    """A window of a laptop's size, whose console must stay empty."""
    chromium.set_window_size(1280, 900)
    yield chromium
    assert [entry["message"] for entry in chromium.get_log("browser")] == []


@pytest.fixture
def keep(browser):
    """Keeps a picture of what the browser shows."""

    def save(name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    return save


@pytest.fixture
def sized(browser):
    """Gives the screen another width until the test ends; narrow ones are a phone's."""

    def resize(width, height=850):
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    yield resize
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
