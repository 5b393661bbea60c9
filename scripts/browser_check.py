"""Opens reports in headless Chromium and looks at them as a reader would.

    python3 scripts/browser_check.py results/cantilever/report.html ... [--screenshots DIR]

Needs Chromium and its driver (Debian: chromium, chromium-driver) and nothing else. Of every page: no error in the
console, no request beside the file itself, every figure drawn, values under the pointer, the switch between
variants, no sideways scrolling on a phone, less than 5 MB. Exit code 1 and a line for each failure otherwise.
"""

import argparse
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

DESKTOP, PHONE = (1280, 900), (390, 844)
MAX_BYTES = 5_000_000

FIGURES = """
return [...document.querySelectorAll("figure")].map(figure => {
  const svg = figure.querySelector(".variant:not([hidden]) svg");
  const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
  const drawn = svg ? [...svg.querySelectorAll("path, rect, circle")].filter(e => {
    const b = e.getBBox(); return b.width + b.height > 0; }).length : 0;
  const curves = svg && svg.classList.contains("chart")
    ? [...svg.querySelectorAll("path.s")].filter(p => p.getAttribute("d").length > 0).length : 1;
  const bad = svg ? /NaN|Infinity|undefined/.test(svg.outerHTML) : true;
  return {id: figure.id, width: box.width, height: box.height, drawn, curves, bad};
});
"""

# A data point in the middle of the longest curve of a figure, in pixels of the window.
POINT = """
const figure = document.getElementById(arguments[0]);
figure.scrollIntoView({block: "center"});
const svg = figure.querySelector(".variant:not([hidden]) svg");
const paths = [...svg.querySelectorAll("path.s")];
const path = paths.sort((a, b) => b.getAttribute("d").length - a.getAttribute("d").length)[0];
const corners = path.getAttribute("d").match(/[ML][-\\d.]+ [-\\d.]+/g).map(c => c.slice(1).split(" ").map(Number));
const [x, y] = corners[Math.floor(corners.length / 2)];
const box = svg.getBoundingClientRect(), size = svg.viewBox.baseVal;
return [box.left + x * box.width / size.width, box.top + y * box.height / size.height];
"""

TIP = """
const tip = document.getElementById("tip");
return tip.style.display === "block" ? tip.textContent : "";
"""


class Browser:
    """One window, driven through the WebDriver protocol."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.folder = tempfile.mkdtemp()
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver") or "chromedriver", f"--port={port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.1)
        options = {
            "binary": shutil.which("chromium") or "chromium",
            "args": ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
                     "--disable-background-networking", "--disable-component-update", "--disable-quic",
                     "--hide-scrollbars", f"--user-data-dir={self.folder}"],
        }
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{answer['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def script(self, text, *arguments):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def resize(self, size):
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
        self.call("POST", "/goog/cdp/execute", command)

    def logs(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def move(self, x, y):
        steps = [{"type": "pointerMove", "duration": 0, "x": int(px), "y": int(py)} for px, py in ((x - 3, y), (x, y))]
        self.call("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]})

    def screenshot(self, path):
        size = self.call("POST", "/goog/cdp/execute", {"cmd": "Page.getLayoutMetrics", "params": {}})["cssContentSize"]
        picture = self.call("POST", "/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"],
                                                     "height": min(size["height"], 12000), "scale": 1}}})
        path.write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.folder, ignore_errors=True)


def requests_of(log):
    """Addresses that the page asked for."""
    messages = (json.loads(entry["message"])["message"] for entry in log)
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def check(browser, page, screenshots):
    """Problems of a page, as sentences."""
    problems = []
    if page.stat().st_size > MAX_BYTES:
        problems.append(f"{page.stat().st_size} bytes")
    browser.resize(DESKTOP)
    browser.logs("performance")
    browser.call("POST", "/url", {"url": page.as_uri()})
    figures = browser.script(FIGURES)
    if not figures:
        problems.append("no figure at all")
    for figure in figures:
        if figure["width"] < 200 or figure["height"] < 40 or figure["drawn"] < 3 or not figure["curves"] or figure["bad"]:
            problems.append(f"figure not drawn: {figure}")
    problems += hover(browser) + switch(browser)
    if screenshots:
        browser.script("window.scrollTo(0, 0)")
        browser.screenshot(screenshots / f"{name_of(page)}_desktop.png")
    browser.resize(PHONE)
    width = browser.script("return document.documentElement.scrollWidth")
    if width > PHONE[0]:
        problems.append(f"a phone must scroll sideways: {width} > {PHONE[0]} pixels")
    if screenshots:
        browser.screenshot(screenshots / f"{name_of(page)}_phone.png")
    problems += [f"console: {entry['message']}" for entry in browser.logs("browser")]
    foreign = [url for url in requests_of(browser.logs("performance")) if url != page.as_uri() and not url.startswith("data:")]
    problems += [f"request: {url}" for url in foreign]
    return problems, len(figures)


def name_of(page):
    return "_".join(page.parts[-3:-1]) if page.stem == "report" else page.stem


def hover(browser):
    """The values of a point appear under the pointer and go away again."""
    charts = browser.script(
        "return [...document.querySelectorAll('figure')].filter(f => f.querySelector('.variant:not([hidden]) svg.chart path.s'))"
        ".map(f => f.id)")
    for figure in charts[:3]:
        x, y = browser.script(POINT, figure)
        browser.move(x, y)
        text = browser.script(TIP)
        if ":" not in text or not any(c.isdigit() for c in text):
            return [f"no values under the pointer in {figure}: {text!r}"]
        browser.move(8, 8)
        if browser.script(TIP):
            return [f"the values of {figure} stay"]
    return []


def switch(browser):
    """A button shows its variant and hides the others."""
    return browser.script("""
        const problems = [];
        for (const group of document.querySelectorAll(".switch")) {
          const buttons = [...group.querySelectorAll("button")], variants = [...group.parentNode.querySelectorAll(".variant")];
          for (const i of [buttons.length - 1, 0]) {
            buttons[i].click();
            const shown = variants.map((v, k) => v.hidden ? -1 : k).filter(k => k >= 0);
            if (shown.length !== 1 || shown[0] !== i) problems.push("switch of " + group.parentNode.id);
          }
        }
        return problems;
    """)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    browser = Browser()
    failed = False
    try:
        for page in arguments.pages:
            problems, count = check(browser, page.resolve(), arguments.screenshots)
            print(f"{page}: {count} figures, {page.stat().st_size / 1e6:.2f} MB, {len(problems)} problems")
            for problem in problems:
                print(f"  {problem}")
            failed = failed or bool(problems)
    finally:
        browser.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
