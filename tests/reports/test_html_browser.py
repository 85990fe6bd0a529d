"""The HTML page in a browser, used as people use it. Skipped where chromium and chromedriver are not installed."""

from __future__ import annotations

import json
import shutil

import pytest
from sample_pages import LONG, full_run, many
from sample_runs import HOSTILE

from pytest_agentevals.reports.html import render
from pytest_agentevals.reports.visible import visible

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

from selenium.webdriver.chrome.service import Service  # noqa: E402 - after the check that it is there
from selenium.webdriver.common.keys import Keys  # noqa: E402 - likewise

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium or chromedriver is not installed")

OPTIONS = (
    "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update disable-sync"
)

#: Told before anything of the page runs.
WATCH = (
    "window.violations = []; addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective))"
)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for option in OPTIONS.split():
        options.add_argument(f"--{option}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    pages = {"full": full_run(), "many": many(210)}
    for name, run in pages.items():
        (folder / f"{name}.html").write_text(render(run), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


class Page:
    """A page in the browser."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address

    def load(self, fragment=""):
        # From elsewhere, so that the same address is loaded again.
        self.browser.get("about:blank")
        self.browser.get(self.address + fragment)

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def item(self, name):
        return self.find(f'.item:has(> [id$="%3A%3A{name}"])')

    def shown(self):
        return self.run(
            "return [...document.querySelectorAll('.item:not([hidden]) .name > bdi')].map((each) => each.textContent)"
        )

    def wait(self, script, expected):
        for _ in range(500):
            found = self.run(f"return {script}")
            if found == expected:
                return
            self.browser.execute_async_script("setTimeout(arguments[0], 10)")
        assert found == expected

    def counted(self, text):
        self.wait("document.getElementById('shown').textContent", text)

    def emulate(self, **features):
        media = features.pop("media", "")
        wanted = [{"name": f"prefers-{name}", "value": value} for name, value in features.items()]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": wanted})

    def width(self, width):
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def page_of(name):
    @pytest.fixture
    def page(browser, addresses):
        page = Page(browser, addresses[name])
        page.width(1200)
        page.emulate()
        browser.get_log("browser")
        page.load()
        yield page
        assert browser.get_log("browser") == []
        assert page.run("return violations") == []

    return page


full, large = page_of("full"), page_of("many")


def test_a_page_asks_for_nothing_but_itself(full):
    full.browser.get_log("performance")
    full.load()
    events = [json.loads(entry["message"])["message"] for entry in full.browser.get_log("performance")]
    asked = {each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"}
    assert {address for address in asked if not address.startswith("data:image/svg+xml,")} <= {
        "about:blank",
        full.address,
    }
    assert full.address in asked


def test_a_click_opens_an_item_with_its_verdicts(full):
    item = full.item("one-fails")
    assert not full.run("return arguments[0].querySelector('.verdict').checkVisibility()", item)
    item.find_element("tag name", "summary").click()
    assert "It misses the point." in item.text
    assert "scale 1 to 5, passes from 3" in item.text


def test_a_long_text_is_unfolded_by_a_click(full):
    item = full.item("long")
    item.find_element("tag name", "summary").click()
    rest = item.find_element("css selector", ".response .rest")
    assert full.run("return arguments[0].parentElement.firstChild.length", rest) <= 2_000
    assert rest.size["height"] < 50
    rest.find_element("tag name", "summary").click()
    assert rest.size["height"] > 5_000
    assert full.run("return arguments[0].parentElement.textContent.split('word').length - 1", rest) == LONG.count(
        "word"
    )


def test_filters_combine_and_a_link_keeps_them(full):
    full.find(".toggle input[value=failed] + span").click()
    full.counted("4 of 12 items")
    full.find("select[name=evaluator]").send_keys("F1")
    full.counted("1 of 12 items")
    assert full.shown() == ["one-fails"]
    fragment = full.run("return location.hash")
    assert fragment == "#status=failed&evaluator=F1Score"
    full.load(fragment)
    assert full.shown() == ["one-fails"]
    assert full.run("return new FormData(document.getElementById('filter')).get('status')") == "failed"
    full.find("button[type=reset]").click()
    full.counted("12 items")
    assert full.run("return location.hash") == ""


def test_documents_differing_answers_and_tags_of_any_text_filter(full):
    full.load("#document=datasets%2Fit.json")
    assert full.shown() == ["undecided", "no-answer", "crashed", "thread"]
    full.find("button[type=reset]").click()
    full.find("[name=mixed] + span").click()
    full.counted("2 of 12 items")
    assert full.shown() == ["three-judges", "repeated"]
    full.find("[name=mixed] + span").click()
    full.find("select[name=tag]").send_keys("<script")
    full.counted("1 of 12 items")
    assert full.shown() == ["tolerated"]


def test_the_search_looks_into_items_that_were_never_opened(large):
    assert large.run("return document.querySelectorAll('.item .verdict').length") == 0
    field = large.find("input[type=search]")
    field.send_keys("CASE 209? employees")
    large.counted("1 of 210 items")
    assert large.shown() == ["item-209"]
    field.clear()
    # A word of the page itself is in no text.
    field.send_keys("verdicts")
    large.counted("0 of 210 items")


def test_an_item_is_built_when_it_is_opened(large):
    item = large.item("item-7")
    item.find_element("tag name", "summary").click()
    large.wait("document.querySelectorAll('.item .verdict').length", 3)
    assert "case 7?" in item.text
    large.find("#expand").click()
    large.counted("210 items, the first 200 expanded")
    large.find("#collapse").click()
    assert large.run("return document.querySelectorAll('.item[open]').length") == 0


def test_a_link_opens_the_item_it_names(full):
    full.load("#item=datasets%2Fhr.json%3A%3Athree-judges")
    assert full.run("return document.activeElement.id").endswith("three-judges")
    assert "Does not fit." in full.item("three-judges").text
    full.find(".comparison a").click()
    full.wait("document.activeElement.id", "item=datasets%2Fhr.json%3A%3Aone-fails")


def test_everything_is_reached_by_keyboard(full):
    def press(*keys):
        webdriver.ActionChains(full.browser).send_keys(*keys).perform()

    press(Keys.TAB, Keys.ENTER)
    assert full.run("return document.activeElement.id") == "items"
    press(Keys.TAB, Keys.SPACE)
    full.counted("4 of 12 items")
    for _ in range(30):
        press(Keys.TAB)
        if full.run("return document.activeElement.matches('.item > summary')"):
            break
    assert full.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press(Keys.ENTER)
    assert full.run("return document.activeElement.parentElement.open") is True


def test_hostile_text_stays_text(full):
    title = full.run("return document.title")
    assert full.run("return document.querySelectorAll('script, img, iframe, object, [onerror], [style]').length") == 1
    full.find("#expand").click()
    assert (
        full.run("return [...document.querySelectorAll('.item .said')].map((each) => each.textContent)").count(
            visible(HOSTILE)
        )
        >= 3
    )
    assert full.run("return document.querySelectorAll('script, img, iframe, object, [onerror], [style]').length") == 1
    assert full.run("return [...document.links].every((link) => link.getAttribute('href').startsWith('#'))")
    assert full.run("return document.title") == title


#: Names of controls, charts and regions; the order of headings; scopes; landmarks.
LABELS = """
const problems = [];
const check = (selector, fine) => {
  const all = [...document.querySelectorAll(selector)];
  if (!all.length) problems.push(`no ${selector}`);
  problems.push(...all.filter((each) => !fine(each)).map((each) => `${selector}: ${each.outerHTML.slice(0, 200)}`));
};
const name = (each) => each.getAttribute("aria-label") || each.textContent.trim() ||
  document.getElementById(each.getAttribute("aria-labelledby"))?.textContent.trim();
check("input, select", (each) => each.labels.length === 1 && name(each.labels[0]));
check("button, summary, a, output, th, h1, h2, h3, h4, form, section[aria-labelledby]", name);
const silent = (each) => each.getAttribute("aria-hidden") === "true";
check("svg", (each) => silent(each) || (each.getAttribute("role") === "img" && name(each)));
check("[tabindex='0']", (each) => each.getAttribute("role") === "region" && name(each));
check("thead th", (each) => each.scope === "col");
check("tbody th", (each) => each.scope === "row");
check(".state, .chip", (each) => /[a-z]{3}/.test(each.textContent) || silent(each));
check("[id]", (each) => document.querySelectorAll(`[id="${CSS.escape(each.id)}"]`).length === 1);
for (const landmark of ["header", "main", "footer", "form[role=search]", "h1"]) {
  if (document.querySelectorAll(landmark).length !== 1) problems.push(`not one ${landmark}`);
}
let level = 0;
for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
  // In an item of a single turn, the heading of the turn is missing.
  const most = level + (heading.closest(".item") ? 2 : 1);
  if (+heading.tagName[1] > most) problems.push(`after h${level}: ${heading.outerHTML}`);
  level = +heading.tagName[1];
}
if (document.documentElement.lang !== "en") problems.push("no language");
return problems;
"""

#: Texts whose contrast with what is behind them is below the ratio of WCAG 2.2 AA, 4.5.
CONTRAST = """
const parse = (colour) => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const luminance = ([r, g, b]) => [r, g, b]
  .map((part) => part / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const colour = parse(getComputedStyle(each).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const poor = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility()) continue;
  const [dark, light] = [parse(getComputedStyle(element).color), behind(element)].map(luminance).sort((a, b) => a - b);
  const ratio = (light + 0.05) / (dark + 0.05);
  if (ratio < 4.5) poor.add(`${element.className || element.tagName} ${ratio.toFixed(2)}`);
}
return [...poor];
"""


def test_everything_has_a_name_and_a_place_for_screen_readers(full):
    full.find("#expand").click()
    assert full.run(LABELS) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_is_enough_in_both_themes(full, theme):
    full.emulate(**{"color-scheme": theme})
    full.find("#expand").click()
    assert (
        full.run("return getComputedStyle(document.body).backgroundColor")
        == {
            "light": "rgb(246, 247, 248)",
            "dark": "rgb(20, 23, 27)",
        }[theme]
    )
    assert full.run(CONTRAST) == []


def test_a_phone_scrolls_in_one_direction_only(full):
    full.width(360)
    full.find("#expand").click()
    assert full.run("return document.documentElement.scrollWidth") == 360


def test_failures_are_printed_expanded_and_passes_are_not(large):
    large.load("#tag=tag-3")
    large.run("dispatchEvent(new Event('beforeprint'))")
    large.emulate(media="print")
    shown = "return arguments[0].querySelector('.verdict')?.checkVisibility({contentVisibilityAuto: false}) ?? false"
    assert large.run(shown, large.find(".item.failed:not([hidden])"))
    assert not large.run(shown, large.find(".item.passed:not([hidden])"))
    assert not large.find("form").is_displayed()


def test_without_javascript_everything_is_there(large):
    large.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        large.load()
        assert not large.find("form").is_displayed()
        item = large.item("item-7")
        item.find_element("tag name", "summary").click()
        assert "It reads well from the first sentence to the last." in item.text
    finally:
        large.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        large.load()
