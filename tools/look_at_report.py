#!/usr/bin/env python3
"""Take pictures of a report, for developers: phone and desktop width, light and dark; list what it asks of the network.

    tools/look_at_report.py report.html PICTURES [--unfold] [--hash rows]

Needs chromium (Debian: apt-get install --no-install-recommends chromium); nothing of the project uses this. Chromium is
told what to do over its debugging pipe, because a headless window cannot be made as narrow as a phone. The exit status
is 1 if the page asked for anything but itself, or its script failed.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WIDTHS = {"phone": 390, "desktop": 1280}
SCHEMES = ("light", "dark")
# A picture of a page that is longer than this is cut into several.
LONGEST = 1800
MOST_PICTURES = 12


class Chromium:
    """A headless Chromium that is spoken to over a pipe."""

    def __init__(self, program: str, folder: str) -> None:
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        self.events: list[dict[str, Any]] = []
        self._number = 0
        self._rest = b""

        def numbered() -> None:
            # Chromium reads commands from descriptor 3 and writes answers to 4; the copies must not fall on each other.
            first, second = os.dup(to_read), os.dup(to_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
        ]
        self._process = subprocess.Popen(
            [program, *options, "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={folder}"],
            preexec_fn=numbered, close_fds=False, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 20)
            if not more:
                raise SystemExit("chromium ended")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its answer; events met on the way are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script: str) -> Any:
        """Run a script in the page and return its value."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    def close(self) -> None:
        """End it."""
        self.ask("Browser.close")
        self._process.wait(30)


def complaints(events: list[dict[str, Any]], page: str) -> list[str]:
    """Return what the page asked the network for, and what its script failed at."""
    found = []
    for event in events:
        told = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            url = told["request"]["url"]
            if not url.startswith((page, "data:", "blob:", "about:")):
                found.append(f"asked for {url}")
        elif event.get("method") == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            found.append(f"script: {details.get('exception', {}).get('description', details['text'])}")
        elif event.get("method") == "Log.entryAdded" and told["entry"]["level"] == "error":
            found.append(f"log: {told['entry']['text']}")
    return found


def show(browser: Chromium, page: str, width: int, scheme: str, unfold: bool) -> int:
    """Load the page at a width in a colour scheme, with everything in view drawn; return its height."""
    emulated = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.ask("Emulation.setDeviceMetricsOverride", **emulated)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.ask("Page.navigate", url="about:blank")
    browser.ask("Page.navigate", url=page)
    while browser.run("document.readyState") != "complete" or browser.run("location.href") == "about:blank":
        time.sleep(0.1)
    if unfold:
        browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
    height = int(browser.run("document.documentElement.scrollHeight"))
    for top in range(0, height, 800):
        browser.run(f"scrollTo(0, {top})")
        time.sleep(0.05)
    browser.run("scrollTo(0, 0)")
    time.sleep(0.3)
    return int(browser.run("document.documentElement.scrollHeight"))


def pictures(browser: Chromium, height: int, width: int, stem: Path) -> None:
    """Write the page as pictures, from its top."""
    for number, top in enumerate(range(0, height, LONGEST)):
        if number == MOST_PICTURES:
            print(f"{stem.name}: the rest, from {top} px, is not pictured")
            return
        clip = {"x": 0, "y": top, "width": width, "height": min(LONGEST, height - top), "scale": 1}
        answer = browser.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        stem.with_name(f"{stem.name}-{number}.png").write_bytes(base64.b64decode(answer["data"]))


def look(browser: Chromium, page: str, folder: Path, unfold: bool) -> list[str]:
    """Take all pictures; return the complaints."""
    found: list[str] = []
    for domain in ("Page", "Runtime", "Network", "Log"):
        browser.ask(f"{domain}.enable")
    for name, width in WIDTHS.items():
        for scheme in SCHEMES:
            height = show(browser, page, width, scheme, unfold)
            pictures(browser, height, width, folder / f"{name}-{scheme}")
            wide = int(browser.run("document.documentElement.scrollWidth"))
            plots = browser.run("typeof Plotly === 'undefined' ? 'no script for plots' : Plotly.version")
            print(f"{name}, {scheme}: {wide} x {height} px, {plots}")
            if wide > width:
                found.append(f"{name}: the page is {wide} px wide")
    return found + complaints(browser.events, page.partition("#")[0])


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--unfold", action="store_true", help="open everything that can be folded")
    parser.add_argument("--hash", default="", help="what to add to the address")
    arguments = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("no chromium: install it first")
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Chromium(program, folder)
        page = arguments.report.resolve().as_uri() + (f"#{arguments.hash}" if arguments.hash else "")
        found = look(browser, page, arguments.pictures, arguments.unfold)
        browser.close()
    print(*(found or ["no request but for the page itself, no failure of its script"]), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
