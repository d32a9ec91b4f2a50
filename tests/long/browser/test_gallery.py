"""The gallery in a real browser, opened from disk."""

import base64
import io
from pathlib import Path

import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from jvgn.views.gallery.gallery_page import rendered

DEMO = Path(__file__).parents[3] / "results/shapes_det/gallery/index.html"


def picture():
    written = io.BytesIO()
    Image.new("RGB", (96, 64), "#bbccdd").save(written, "JPEG")
    return "data:image/jpeg;base64," + base64.b64encode(written.getvalue()).decode()


def example(number, words, outcome, nodes, edges=(), context=""):
    return {
        "id": number,
        "image": "7",
        "size": [96, 64],
        "split": "test",
        "outcome": outcome,
        "context": context,
        "tokens": words.split(),
        "gold": [5, 5, 25, 25],
        "regions": [[5, 5, 25, 25], [40, 10, 60, 30], [70, 30, 90, 60]],
        "nodes": nodes,
        "referent": 0,
        "edges": list(edges),
    }


def node(head, tokens, before, after, gold=None, not_found=None):
    return {
        "notFound": not_found,
        "gold": gold,
        "head": head,
        "attributes": [],
        "tokens": tokens,
        "before": before,
        "after": after,
    }


@pytest.fixture
def page(tmp_path):
    star = node("star", [0], [0.3, 0.5, 0.2], [0.9, 0.1, 0.0])
    ring = node("ring", [3], [0.2, 0.6, 0.2], [0.0, 0.99, 0.01], gold=[70, 30, 90, 60])
    edge = {"subject": 0, "relation": "left of", "object": 1, "tokens": [1, 2]}
    hostile = node("<script>alert(1)</script>", [0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    path = tmp_path / "index.html"
    examples = [
        example(1, "star left of ring", "corrected", [star, ring], [edge], context="wrong"),
        example(2, "<script>alert(1)</script> cross", "right", [hostile]),
        example(3, "ring", "broken", [node("ring", [0], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1], not_found=0.97)]),
    ]
    counts = {"corrected": 4, "right": 90, "broken": 1}
    path.write_text(rendered({"title": "a <b>", "counts": counts, "examples": examples, "images": {"7": picture()}}))
    return path.as_uri()


def boxes(browser):
    """The boxes drawn on the image: (node, region) and what is written at each."""
    groups = browser.find_elements(By.CSS_SELECTOR, "#boxes g")
    return {
        (int(group.get_attribute("data-node")), int(group.get_attribute("data-region"))): group.text for group in groups
    }


def test_at_first_each_object_shows_its_most_probable_region(browser, page):
    browser.get(page)
    assert boxes(browser) == {(0, 0): "1", (1, 1): "2"}


def test_annotated_context_is_dashed_in_its_colour(browser, page):
    browser.get(page)
    dashed = browser.find_elements(By.CSS_SELECTOR, "#image .gold[stroke-dasharray]")
    assert [box.get_attribute("stroke") for box in dashed] == ["#000", "#D55E00"]


@pytest.mark.parametrize("place", ["#sentence [data-node='0']", "#graph [data-node='0']", ".belief[data-node='0']"])
def test_hovering_an_object_lights_exactly_its_regions(browser, page, place):
    browser.get(page)
    ActionChains(browser).move_to_element(browser.find_element(By.CSS_SELECTOR, place)).perform()
    assert boxes(browser) == {(0, 0): "0.90", (0, 1): "0.10"}
    ActionChains(browser).move_to_element(browser.find_element(By.TAG_NAME, "h1")).perform()
    assert boxes(browser) == {(0, 0): "1", (1, 1): "2"}


def test_the_toggle_changes_the_numbers(browser, page):
    browser.get(page)
    browser.find_element(By.CSS_SELECTOR, ".belief[data-node='0']").click()
    browser.find_element(By.ID, "before").click()
    assert boxes(browser) == {(0, 0): "0.30", (0, 1): "0.50", (0, 2): "0.20"}
    assert "region 2: 0.50 before" in browser.find_element(By.CSS_SELECTOR, ".belief").text


@pytest.mark.parametrize(
    "filters, count",
    [
        ("outcome=broken", 1),
        ("context=wrong", 1),
        ("context=right", 0),
        ("missing=yes", 1),
        ("missing=no", 2),
        ("size=1", 2),
        ("words=ring", 2),
        ("words=left+ring", 1),
        ("words=cat", 0),
    ],
)
def test_filters_change_the_count_and_are_in_the_address(browser, page, filters, count):
    browser.get("about:blank")
    browser.get(f"{page}#{filters}")
    assert browser.find_element(By.ID, "count").text == f"{count} of 3 expressions"
    assert len(browser.find_elements(By.CSS_SELECTOR, "#list a")) == count


def test_an_object_that_is_not_found_says_so_with_its_probability(browser, page, keep):
    browser.get("about:blank")
    browser.get(f"{page}#id=3")
    row = browser.find_element(By.CSS_SELECTOR, ".belief")
    assert "not found: 0.97; else region 2: 0.80 after" in row.text
    keep("gallery_not_found")
    browser.find_element(By.ID, "before").click()
    assert "not found" not in browser.find_element(By.CSS_SELECTOR, ".belief").text


def test_clicking_filters_narrows_the_list(browser, page):
    browser.get(page)
    browser.find_element(By.CSS_SELECTOR, "[data-outcome='corrected']").click()
    assert browser.find_element(By.ID, "count").text == "1 of 3 expressions"
    browser.find_element(By.CSS_SELECTOR, "[data-outcome='']").click()
    browser.find_element(By.ID, "words").send_keys("ring")
    assert browser.find_element(By.ID, "count").text == "2 of 3 expressions"
    assert "words=ring" in browser.current_url


def test_several_words_can_be_typed(browser, page):
    browser.get(page)
    browser.find_element(By.ID, "words").send_keys("left ring")
    assert browser.find_element(By.ID, "count").text == "1 of 3 expressions"
    assert "words=left+ring" in browser.current_url


def test_the_keyboard_leads_everywhere(browser, page):
    browser.get(page)
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("2")
    assert boxes(browser) == {(1, 1): "0.99", (1, 2): "0.01"}
    body.send_keys("b")
    assert len(boxes(browser)) == 3
    body.send_keys(Keys.ESCAPE)
    assert set(boxes(browser)) == {(0, 1), (1, 1)}
    body.send_keys(Keys.ARROW_RIGHT)
    assert "id=2" in browser.current_url
    body.send_keys(Keys.ARROW_LEFT)
    assert "id=1" in browser.current_url


def test_a_pressed_filter_keeps_the_keyboards_focus(browser, page):
    browser.get(page)
    browser.find_element(By.CSS_SELECTOR, "[data-outcome='broken']").send_keys(Keys.ENTER)
    assert browser.find_element(By.ID, "count").text == "1 of 3 expressions"
    focused = browser.switch_to.active_element
    assert focused.get_attribute("data-outcome") == "broken" and focused.get_attribute("aria-pressed") == "true"


def test_a_shared_address_shows_the_same_view(browser, page):
    browser.get(f"{page}#id=3&belief=before&node=0")
    assert browser.find_element(By.ID, "sentence").text == "ring"
    assert boxes(browser) == {(0, 0): "0.70", (0, 1): "0.20", (0, 2): "0.10"}


def test_markup_in_an_expression_is_text(browser, page):
    browser.get(f"{page}#id=2")
    assert browser.find_element(By.ID, "sentence").text == "<script>alert(1)</script> cross"
    assert browser.find_element(By.TAG_NAME, "h1").text == "a <b>"
    assert len(browser.find_elements(By.TAG_NAME, "script")) == 3


@pytest.mark.parametrize("place", ["#sentence [data-edge='0']", "#graph [data-edge='0'] text"])
def test_hovering_a_relation_lights_exactly_the_regions_of_both_its_ends(browser, page, place):
    browser.get(page)
    ActionChains(browser).move_to_element(browser.find_element(By.CSS_SELECTOR, place)).perform()
    assert boxes(browser) == {(0, 0): "0.90", (0, 1): "0.10", (1, 1): "0.99", (1, 2): "0.01"}
    assert len(browser.find_elements(By.CSS_SELECTOR, ".belief.lit")) == 2
    ActionChains(browser).move_to_element(browser.find_element(By.TAG_NAME, "h1")).perform()
    assert boxes(browser) == {(0, 0): "1", (1, 1): "2"}


def test_a_relation_can_be_pinned_and_shared(browser, page):
    browser.get(page)
    browser.find_element(By.CSS_SELECTOR, "#sentence [data-edge='0']").click()
    pinned = browser.current_url
    browser.get("about:blank")
    browser.get(pinned)
    assert set(boxes(browser)) == {(0, 0), (0, 1), (1, 1), (1, 2)}


@pytest.mark.parametrize("place", [".belief[data-node='0']", "#graph [data-edge='0']"])
def test_an_object_pinned_by_keyboard_keeps_the_focus(browser, page, place):
    browser.get(page)
    browser.find_element(By.CSS_SELECTOR, place).send_keys(Keys.ENTER)
    assert (0, 0) in boxes(browser) and "node=0" in browser.current_url
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert boxes(browser) == {(0, 0): "1", (1, 1): "2"}


@pytest.mark.parametrize("given", ["99", "nonsense"])
def test_a_link_to_an_expression_that_the_gallery_lacks_says_so(browser, page, given):
    browser.get("about:blank")
    browser.get(f"{page}#id={given}")
    lacking = browser.find_element(By.ID, "lacking")
    assert lacking.text == f"Expression {given} is not among the 3 of this gallery. Here is another."
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
    assert not lacking.is_displayed()


def test_on_a_phone_the_picture_comes_before_the_filters(browser, page, sized):
    sized(390)
    browser.get(page)
    top = {
        name: browser.find_element(By.ID, name).rect["y"] for name in ("sentence", "image", "graph", "filters", "list")
    }
    assert sorted(top, key=top.get) == ["sentence", "image", "graph", "filters", "list"]
    picture = browser.find_element(By.ID, "image").rect
    assert picture["y"] + picture["height"] < 850 and picture["width"] > 340
    # The graph keeps its size: nothing is shrunk to fit.
    graph = browser.find_element(By.ID, "graph")
    assert graph.rect["width"] == pytest.approx(float(graph.get_attribute("width")), abs=1)


@pytest.mark.parametrize("width, device", [(1280, "laptop"), (390, "phone")])
@pytest.mark.parametrize("gallery", ["gallery", "demo_gallery"])
def test_nothing_is_wider_than_the_screen(browser, page, keep, sized, gallery, width, device):
    if gallery == "demo_gallery" and not DEMO.exists():
        pytest.skip("no demo to look at: make demo")
    sized(width)
    browser.get(DEMO.as_uri() if gallery == "demo_gallery" else page)
    keep(f"{gallery}_{device}")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
