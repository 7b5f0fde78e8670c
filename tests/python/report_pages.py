"""What the pages of `sarrus.report` say, for their tests: tables, facts and the numbers behind pictures, read from the HTML."""

import html.parser
import json


class Page(html.parser.HTMLParser):
    """`tables`: rows of cells by class, cells as (text, [numbers]), without the units beside names, which are in `units`; `curves`:
    what pictures over time hold, by their labels; `texts`: all that stands between tags."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.curves, self.texts, self.tags, self.facts = {}, {}, [], [], []
        self._rows = self._cell = self._fact = None
        self.units, self._is_unit = [], False
        self.feed(page)
        self.close()
        self.text = " ".join(self.texts)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        self._is_unit = self._is_unit or (tag == "span" and attrs.get("class") == "unit")
        if tag == "table":
            self._rows = self.tables.setdefault(attrs["class"], [])
        if tag == "tr" and self._rows is not None:
            self._rows.append([])
        if tag in ("td", "th"):
            self._cell = ["", []]
            self._rows[-1].append(self._cell)
        if tag in ("dt", "dd"):
            self._fact = ["", []]
            self.facts.append(self._fact)
        if tag == "data":
            number = float(attrs["value"])
            for place in (self._cell, self._fact):
                if place is not None:
                    place[1].append(number)
        if "data-curves" in attrs:
            self.curves[attrs["aria-label"]] = json.loads(attrs["data-curves"])

    def handle_endtag(self, tag):
        self._is_unit = self._is_unit and tag != "span"
        if tag == "table":
            self._rows = None
        if tag in ("td", "th"):
            self._cell = None
        if tag in ("dt", "dd"):
            self._fact = None

    def handle_data(self, data):
        self.texts.append(data)
        if self._is_unit and self._cell is not None:
            self.units.append(data)
            return
        for place in (self._cell, self._fact):
            if place is not None:
                place[0] += data

    def rows(self, name):
        """Of a table without its head, by the text of the first cell."""
        return {row[0][0].rstrip(): row[1:] for row in self.tables[name][1:]}

    def fact(self, name):
        """(text, numbers) of the first fact of that name."""
        place = next(i for i, (text, _) in enumerate(self.facts) if text == name)
        return tuple(self.facts[place + 1])

    def labels(self):
        return [attrs["aria-label"] for tag, attrs in self.tags if tag == "svg"]
