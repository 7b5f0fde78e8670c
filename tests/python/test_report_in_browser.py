"""The page of `sarrus.report` in Chromium without a window: nothing is said on the console, nothing is loaded, nothing is empty or
too wide, numbers are NumPy's, a curve tells its numbers at the pointer, the mechanism moves. Exit code 77 (skipped) without a
browser or the package."""

import html
import json
import re
import sys
import warnings

import h5py
import numpy as np
from package import run_all, sarrus
from test_animation_in_browser import n_of, opened, pictured, style_of
from test_package_report import PUSHED, copied, page_of, ran

# Stands at the end of a copy of the page and tells what a reader would see.
LOOK = """
<script>
(function () {
  const all = (what, where) => [...(where || document).querySelectorAll(what)];
  all("details").forEach((own) => { own.open = true; });
  const size = (own) => { const box = own.getBoundingClientRect(); return [box.width, box.height]; };
  const rows = (name) => all("table." + name + " tbody tr").map((row) => all("td", row).map((cell) =>
    all("data", cell).map((own) => Number(own.value))));
  const told = { quantities: rows("quantities"), influence: rows("influence"), endings: rows("endings"), sobol: rows("sobol") };
  told.title = document.title;
  told.sections = all("section").map((own) => [own.id, ...size(own)]);
  told.cards = all(".card").map((own) => [own.querySelector("h3").textContent, ...size(own)]);
  // What is drawn within each picture, beyond its own frame, and what is written there.
  told.pictures = all("svg").map((own) => {
    const view = own.viewBox.baseVal, box = own.getBBox();
    const odd = all("*", own).filter((part) => [...part.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value)));
    return { label: own.getAttribute("aria-label"), size: size(own), odd: odd.length, n: own.childElementCount,
      out: Math.max(-box.x, -box.y, box.x + box.width - view.width, box.y + box.height - view.height) };
  });
  told.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  told.broken = all("nav a").filter((own) => !document.getElementById(own.getAttribute("href").slice(1))).length;
  all("svg.curves").filter((own) => own.getAttribute("aria-label") === "rod.y over time").forEach((curve) => {
    const box = curve.getBoundingClientRect(), scale = box.width / curve.viewBox.baseVal.width;
    const at = JSON.parse(curve.dataset.curves), reading = curve.parentElement.querySelector(".reading");
    curve.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + scale * (at.start + 0.7 * (at.end - at.start)) }));
    told.reading = reading.textContent;
    curve.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    told.next = reading.textContent;
    curve.dispatchEvent(new PointerEvent("pointerleave"));
    told.after = reading.textContent;
  });
  told.loaded = performance.getEntriesByType("resource").map((own) => own.name);
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = JSON.stringify(told);
  document.body.append(out);
})();
</script>
</body>"""
# Leaves the moving picture alone on the screen.
ALONE = "<style>section:not(#motion), header, #motion > h2, #motion > p { display: none }</style></head>"


def told_of(page):
    assert page.count("</main>") == 1
    at = page.rindex("</body>")
    document, console, _ = opened(page[:at] + LOOK + page[at + len("</body>") :], "--dump-dom", budget=1000)
    assert console == [], console
    found = re.search(r'<pre id="told">(.*?)</pre>', document, re.S)
    assert found, document[-3000:]
    return json.loads(html.unescape(found[1]))


def whole():
    """A study with something of everything, and its page."""
    place = copied("browser")
    settings = {"batch.design": "saltelli", "output.sensitivity": ["swing"], "output.instances": "none"}
    indices = ran(PUSHED, instances=16, settings=settings | {"integrator.max_steps": 100000})
    with h5py.File(place, "a") as file:
        for name in ("first", "total", "second", "first_confidence", "total_confidence", "second_confidence"):
            file[f"sensitivity/swing/{name}"] = indices[f"sensitivity/swing/{name}"]
    return place, sarrus.report(place).page


def nothing_is_empty(told):
    assert told["loaded"] == [] and told["wide"] <= 0 and told["broken"] == 0, told
    assert all(width > 200 and height > 40 for _, width, height in told["sections"]), told["sections"]
    assert all(width > 200 and height > 60 for _, width, height in told["cards"]), told["cards"]
    for own in told["pictures"]:
        assert own["odd"] == 0 and own["n"] > 3 and min(own["size"]) > 50, own
        assert own["out"] < 1.0, own  # what is drawn lies in the picture


def test_page():
    place, page = whole()
    told = told_of(page)
    nothing_is_empty(told)
    names = [
        "study",
        "status",
        "parameters",
        "quantities",
        "sensitivity",
        "influence",
        "correlations",
        "motion",
        "time",
        "errors",
        "verdicts",
        "scenario",
    ]
    assert told["title"] == "pushed rods" and [name for name, _, _ in told["sections"]] == names
    with h5py.File(place) as file:
        for row, name in zip(told["quantities"], ("swing", "never", "low"), strict=True):
            values = file[f"quantities/{name}"][:]
            good = values[np.isfinite(values)]
            assert row[1] == [len(good)] and row[-1] == [len(values) - len(good)]
            if len(good):
                wanted = [good.mean(), good.std(ddof=1), *np.quantile(good, [0, 0.05, 0.5, 0.95, 1])]
                assert np.allclose([row[i][0] for i in (2, 3, 6, 7, 8, 9, 10)], wanted, rtol=1e-12), row
        counts = np.unique(file["instance/status"][:], return_counts=True)[1]
        assert [row[1][0] for row in told["endings"]] == list(counts)
        row = int(np.argmin(np.abs(file["time"][:] - 0.7 * file["time"][-1])))
        for text, own in ((told["reading"], row), (told["next"], row + 1)):
            values = np.quantile(file["state/q"][:, own, 1][np.isfinite(file["state/q"][:, own, 1])], [0, 0.05, 0.5, 0.95, 1])
            found = [float(word.replace("−", "-")) for word in re.findall(r"[−]?[0-9.]+(?:e[−0-9]+)?(?=,| m$)", text)]
            assert text.startswith(f"t = {file['time'][own]:.5g} s:") and np.allclose(found, values, rtol=1e-4, atol=1e-9), text
    assert told["after"] == "" and len(told["sobol"]) == 2 and all(len(cell) == 1 for cell in told["sobol"][0][1:])
    assert len([own for own in told["pictures"] if own["label"].endswith("over time")]) >= 4


def test_odd_pages():
    """Studies that have little: one instance, none that is good, numbers that do not vary."""
    for options in (
        {"instances": 1, "settings": {"output.quantities": {}}},
        {"instances": 5, "settings": {"integrator.max_steps": 3}},
        {"instances": 6, "settings": {"integrator.max_steps": 100000, "output.quantities": {"same": "max(rod.x) * 0 + 0.1"}}},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of all that failed
            told = told_of(sarrus.report(ran(PUSHED, **options)).page)
        nothing_is_empty(told)
        assert told["sections"][0][0] == "study" and told["sections"][-1][0] == "scenario"


def test_motion():
    """The player is drawn in its colours, those of four instances, and moves."""
    page = sarrus.report(copied("motion")).page
    (frame,) = [attrs for tag, attrs in page_of(copied("motion"))[0].tags if tag == "iframe"]
    colors = style_of(frame["srcdoc"])["colors"][:4]
    alone = page.replace("</head>", ALONE, 1)
    early = pictured(alone, 100)
    for budget in (700, 2000, 5000):
        late = pictured(alone, budget)
        if all(n_of(late, color) > 30 for color in colors) and np.any(early != late):
            break
    assert all(n_of(late, color) > 30 for color in colors), [n_of(late, color) for color in colors]
    assert np.any(early != late)
    dark = opened(alone, "--screenshot=screenshot.png", "--blink-settings=preferredColorScheme=0", budget=budget)[2]
    dark = np.round(255 * dark).astype(int)
    assert all(n_of(dark, color) > 30 for color in style_of(frame["srcdoc"])["dark"]["colors"][:4])
    n_pixels = dark.shape[0] * dark.shape[1]  # words on buttons are white
    assert n_of(dark, "#1c232a") > 0.2 * n_pixels and n_of(dark, "#ffffff") < 0.01 * n_pixels, n_of(dark, "#ffffff")


if __name__ == "__main__":
    sys.exit(run_all(globals()))
