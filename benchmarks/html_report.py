"""How long the HTML page of many items takes: to write, and, where chromium is installed, to open, filter and search.

Run ``python benchmarks/html_report.py [ITEMS]`` (5,000). Each item has three verdicts, a response and an expected one
of about 40 words. A loop of Python's own is timed beside it, because machines and their load differ.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from sample_pages import many

from pytest_agentevals.reports.html import render

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: Each returns milliseconds until the browser has drawn what follows.
DRAWN = """
const [action, done] = arguments, start = performance.now();
const drawn = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
const shown = document.getElementById("shown"), field = document.querySelector("[type=search]");
if (action === "scroll") { scrollTo(0, document.body.scrollHeight / 2); drawn(); }
else {
  new MutationObserver(drawn).observe(shown, { childList: true });
  if (action === "filter") document.querySelector("[value=failed]").click();
  else { field.value = action; field.dispatchEvent(new Event("input", { bubbles: true })); }
}
"""


def cpu(function: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def loop() -> int:
    total = 0
    for number in range(10_000_000):
        total += number
    return total


def browse(page: Path) -> None:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for option in ("headless", "no-sandbox", "disable-gpu", "disable-background-networking"):
        options.add_argument(f"--{option}")
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        start = time.perf_counter()
        driver.get(page.as_uri())
        print(f"open          {time.perf_counter() - start:8.2f} s")
        actions = [("scroll", "scroll"), ("filter", "filter"), ("first search", "cases"), ("next search", "case 49")]
        for name, action in actions:
            print(f"{name:<13} {driver.execute_async_script(DRAWN, action):8.0f} ms")
    finally:
        driver.quit()


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    run = many(count)
    seconds, _ = cpu(loop)
    print(f"loop          {seconds:8.2f} s CPU")
    seconds, text = cpu(lambda: render(run))
    print(f"render        {seconds:8.2f} s CPU for {count} items, {len(text) / 1e6:.1f} MB")
    if shutil.which("chromium") and shutil.which("chromedriver"):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "report.html")
            page.write_text(text, encoding="utf-8")
            browse(page)


if __name__ == "__main__":
    main()
