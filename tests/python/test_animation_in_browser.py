"""The pages of `sarrus.animate` in Chromium without a window: nothing is said on the console, the mechanism is drawn in its colours
and at its angle, time runs, controls do what they are there for. Exit code 77 (skipped) without a browser or the package."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import matplotlib.image
    import numpy as np
    from package import run_all, sarrus
    from program import SOURCE
except ModuleNotFoundError as error:
    if error.name not in ("numpy", "matplotlib"):
        raise
    print(f"skipped: {error}")
    sys.exit(77)

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "google-chrome"))), None)
if BROWSER is None:
    print("skipped: there is no chromium (scripts/install_dependencies --checks)")
    sys.exit(77)

WIDTH, HEIGHT = 800, 600
FIVE_BAR = str(SOURCE / "scenarios" / "five_bar_monte_carlo.yaml")
TOP = str(SOURCE / "scenarios" / "heavy_top.yaml")
CHANNELS = {"integrator.t_end": 2.0, "output.channels": ["state", "reactions"]}

# Stands at the end of a copy of a page: turns its controls as a hand would and tells what is then on the canvas, by colours. Of
# each: the number of pixels, their mean place and the second moments about it, x to the right and y up.
LOOK = """
<script>
(function () {
  const find = (id) => document.getElementById(id), canvas = find("canvas");
  const style = JSON.parse(find("motion").textContent).style;
  const colors = [...style.colors, style.ghost, style.arrow];
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const pen = copy.getContext("2d", { willReadFrequently: true });
  function seen() {
    pen.clearRect(0, 0, copy.width, copy.height);
    pen.drawImage(canvas, 0, 0);
    const data = pen.getImageData(0, 0, copy.width, copy.height).data, found = {};
    colors.forEach((color) => {
      const want = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
      let n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
      for (let k = 0; k < data.length; k += 4) {
        if (data[k + 3] < 200 || want.some((value, i) => Math.abs(value - data[k + i]) > 12)) continue;
        const u = (k / 4) % canvas.width, v = -Math.floor(k / 4 / canvas.width);
        n += 1; x += u; y += v; xx += u * u; xy += u * v; yy += v * v;
      }
      x /= n; y /= n;
      found[color] = n ? { n, x, y, xx: xx / n - x * x, xy: xy / n - x * y, yy: yy / n - y * y } : { n };
    });
    return { caption: find("caption").textContent, colors: found, play: find("play").textContent };
  }
  function slid(share) {
    find("slider").value = String(share);
    find("slider").dispatchEvent(new Event("input"));
    return seen();
  }
  function dragged() {
    const event = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: 200 }));
    canvas.setPointerCapture = () => {};  // which is for pointers that are there
    ["pointerdown", "pointermove", "pointerup"].forEach((type, i) => event(type, 300 + 60 * Math.min(i, 1)));
    return seen();
  }
  const told = { begin: seen() };
  window.framesFor(500);
  told.later = seen();
  told.places = [0, 250, 500, 1000].map(slid);
  slid(500);
  find("arrows").click();
  told.bare = seen();
  find("arrows").click();
  told.dragged = dragged();
  find("home").click();
  told.home = seen();
  find("play").click();
  window.framesFor(300);
  told.played = seen();
  const { title } = document, heading = find("title").textContent;
  const legend = [...find("legend").children].map((row) => row.textContent);
  const speeds = find("speed").options.length, hidden = find("arrows_label").hidden;
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
  Object.assign(told, { title, heading, legend, speeds, hidden, loaded, size: [canvas.width, canvas.height] });
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = JSON.stringify(told);
  document.body.append(out);
})();
</script>
</body>"""
# Stands before the player. Without a window the browser paints frames when it likes, and its clock goes on while a busy machine
# does something else; with this, frames come where LOOK asks for them, 20 ms apart on a clock of its own.
FRAMES = """
<script>
  let clock = 0, waiting = [];
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  window.framesFor = (ms) => {
    const end = clock + ms;
    for (; clock < end; clock += 20) {
      const now = waiting;
      waiting = [];
      now.forEach((draw) => draw(clock));
    }
  };
</script>
"""


def opened(page, *options, budget):
    """What the browser writes of a page, and what its console says, after so many ms of the page's own time."""
    with tempfile.TemporaryDirectory(prefix="sarrus-", ignore_cleanup_errors=True) as folder:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"]
        command += ["--force-device-scale-factor=1", f"--user-data-dir={folder}/profile", "--enable-logging=stderr"]
        command += [f"--virtual-time-budget={budget}", *options, path.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, check=False)
        assert done.returncode == 0, done.stderr
        console = re.findall(r":CONSOLE[:(]\d+\)?\] (.*)", done.stderr)
        picture = pathlib.Path(folder) / "screenshot.png"
        image = matplotlib.image.imread(picture)[..., :3] if picture.exists() else None
        return done.stdout, console, image


def told_of(page):
    """What LOOK tells of a page."""
    assert page.count("</body>") == page.count("<noscript>") == 1
    copy = page.replace("<noscript>", FRAMES + "<noscript>").replace("</body>", LOOK)
    document, console, _ = opened(copy, "--dump-dom", budget=3000)
    assert console == [], console
    found = re.search(r'<pre id="told">(.*?)</pre>', document, re.S)
    assert found, document[-3000:]
    return json.loads(html.unescape(found[1]))


def pictured(page, budget):
    """What stands on the screen."""
    _, console, image = opened(page, "--screenshot=screenshot.png", budget=budget)
    assert console == [] and image is not None and image.shape == (HEIGHT, WIDTH, 3), console
    return np.round(255 * image).astype(int)


def n_of(image, color):
    """Pixels of a colour, but for what a scaled screen may round."""
    want = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return int(np.sum(np.max(np.abs(image - want), axis=2) <= 2))


def time_of(seen):
    return float(re.match(r"t = ([0-9.]+) s", seen["caption"])[1])


def style_of(page):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])["style"]


def direction(spot):
    """A unit vector along the pixels of a line."""
    _, vectors = np.linalg.eigh([[spot["xx"], spot["xy"]], [spot["xy"], spot["yy"]]])
    return vectors[:, 1]


def five_bars():
    return sarrus.run(FIVE_BAR, instances=4, backend="cpu", specialize="off", settings=CHANNELS)


def top():
    return sarrus.run(TOP, instances=1, backend="cpu", specialize="off", settings=CHANNELS)


def contrast(color, other):
    """That of two colours by WCAG 2.1: (L1 + 0.05)/(L2 + 0.05) of their relative luminances."""
    levels = []
    for text in (color, other):
        parts = np.array([int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        levels.append(linear @ [0.2126, 0.7152, 0.0722] + 0.05)
    return max(levels) / min(levels)


def test_dark():
    """Where the reader's system is dark so is the player, in colours that are seen on it; on a bright one it is what it was."""
    page = sarrus.animate(five_bars(), reactions=True).page
    style, paper = style_of(page), "#1c232a"
    dark = style["dark"]
    for color in (*dark["colors"], dark["ink"], dark["arrow"]):
        assert contrast(color, paper) >= 4.5, color
    assert len(dark["colors"]) == len(style["colors"]) and contrast("#9aa8b5", paper) >= 4.5
    at_night = ("--blink-settings=preferredColorScheme=0",)
    for options, here, there, back in ((at_night, dark, style, paper), ((), style, dark, "#ffffff")):
        _, console, image = opened(page, "--screenshot=screenshot.png", *options, budget=700)
        seen = np.round(255 * image).astype(int)
        assert console == [] and n_of(seen, back) > 0.5 * WIDTH * HEIGHT, options
        assert all(n_of(seen, color) > 30 for color in here["colors"][:4]) and n_of(seen, here["ink"]) > 30, options
        assert not any(n_of(seen, color) > 30 for color in there["colors"][:4]), options


def controls_check(told, title, legend):
    assert told["title"] == told["heading"] == title and told["legend"][: len(legend)] == legend, told["legend"]
    assert told["speeds"] == 6 and told["loaded"] == [], told["loaded"]
    assert told["size"][0] == WIDTH and 0.5 * HEIGHT < told["size"][1] < HEIGHT, told["size"]
    assert time_of(told["begin"]) == 0.0 and told["begin"]["play"] == "Pause"
    assert abs(time_of(told["later"]) - 0.5) < 0.03, told["later"]["caption"]
    assert [time_of(seen) for seen in told["places"]] == [0.0, 0.5, 1.0, 2.0]
    assert all(seen["play"] == "Play" for seen in told["places"])
    assert abs(time_of(told["played"]) - 1.3) < 0.03 and told["played"]["play"] == "Pause", told["played"]["caption"]
    assert told["home"]["colors"] == told["places"][2]["colors"]


def test_planar_page():
    """Cranks stand at the angles that the run has: lines of 200 pixels and 3 across tell a direction to 0.02."""
    result = five_bars()
    page = sarrus.animate(result, instance=0, ghosts=3, reactions=True).page
    told, style = told_of(page), style_of(page)
    controls_check(told, sarrus.load(FIVE_BAR).name, ["crank_a", "crank_b", "crank_c", "coupler"])
    assert "in grey: 3 others" in told["legend"] and told["legend"][-1].startswith("longest arrow: ") and not told["hidden"]
    for seen in told["places"]:
        colors = seen["colors"]
        assert all(colors[color]["n"] > 100 for color in style["colors"][:4]), colors
        assert all(colors[color]["n"] == 0 for color in style["colors"][4:7]), colors  # the eighth is also that of supports
        row = int(np.argmin(np.abs(result.time - time_of(seen))))
        angle = result.q[0, row, 2]
        for color in style["colors"][:3]:
            along = direction(colors[color])
            assert abs(along @ [np.cos(angle), np.sin(angle)]) < 0.02, (seen["caption"], color, along, angle)
    assert np.ptp([seen["colors"][style["colors"][0]]["x"] for seen in told["places"]]) > 50
    assert told["places"][2]["colors"][style["arrow"]]["n"] > 100 and told["bare"]["colors"][style["arrow"]]["n"] == 0
    shift = told["dragged"]["colors"][style["colors"][3]]["x"] - told["home"]["colors"][style["colors"][3]]["x"]
    assert abs(shift - 60.0) < 2.0, shift


def test_ghosts_and_arrows_only_where_asked_for():
    result = five_bars()
    plain, grey = (told_of(sarrus.animate(result, ghosts=n).page) for n in (0, 3))
    style = style_of(sarrus.animate(result).page)
    n_plain, n_grey = (told["places"][3]["colors"][style["ghost"]]["n"] for told in (plain, grey))
    assert n_grey > n_plain + 200, (n_plain, n_grey)
    for told in (plain, grey):
        assert told["hidden"] and all(seen["colors"][style["arrow"]]["n"] == 0 for seen in told["places"])
    assert not any("grey" in row for row in plain["legend"]) and "in grey: 3 others" in grey["legend"]


def test_page_in_space():
    result = top()
    page = sarrus.animate(result, reactions=True).page
    told, body = told_of(page), style_of(page)["colors"][0]
    controls_check(told, sarrus.load(TOP).name, [])
    spots = [seen["colors"][body] for seen in told["places"]]
    assert all(spot["n"] > 50 for spot in spots), spots
    assert len({(round(spot["x"]), round(spot["y"])) for spot in spots}) == 4, spots
    turned, straight = told["dragged"]["colors"][body], told["home"]["colors"][body]
    assert turned != straight and np.hypot(turned["x"] - straight["x"], turned["y"] - straight["y"]) < 300


def test_screen():
    """The page as it is, on a screen: the mechanism's colours, and another picture later. How many frames the browser has painted
    until then is its own matter, so that it is given more time until there is one."""
    for page, n_colors in (
        (sarrus.animate(five_bars(), ghosts=3, reactions=True).page, 4),
        (sarrus.animate(top()).page, 1),
    ):
        colors, early = style_of(page)["colors"][:n_colors], pictured(page, 100)
        for budget in (700, 2000, 5000):
            late = pictured(page, budget)
            assert all(n_of(image, color) > 50 for color in colors for image in (early, late))
            n_changed = int(np.sum(np.any(early[40:500] != late[40:500], axis=2)))
            if n_changed > 500:
                break
        assert n_changed > 500, n_changed


def test_console_is_heard():
    """What these tests take for silence is silence: an error in a page is heard, and so is a message."""
    page = sarrus.animate(top()).page
    for words, heard in (("nowhere();", "nowhere is not defined"), ('console.log("hallo");', "hallo")):
        _, console, _ = opened(page.replace('"use strict";', f'"use strict"; {words}'), "--dump-dom", budget=300)
        assert len(console) == 1 and heard in console[0], console


if __name__ == "__main__":
    os.environ.pop("DISPLAY", None)
    sys.exit(run_all(globals()))
