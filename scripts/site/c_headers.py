"""The C API as pages: each public header's declarations with the comments above them, in the header's order."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

GUARD = re.compile(r"^#define SARRUS_\w+_H\n(.*)^#endif", re.M | re.S)
FRAME = 'extern "C" {\n#endif\n'
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FUNCTION = re.compile(r"^(?!typedef)[^{]*?\b(\w+)\(.*\);$", re.S)
TYPE = re.compile(r"^typedef (struct|enum) (\w+)")
CALLBACK = re.compile(r"^typedef [^{]*\(\*(\w+)\)\(", re.S)
MACRO = re.compile(r"^#define (\w+(?:\([^)]*\))?)")
TABLE = re.compile(r'^#define (\w+)\(([^)]*)\) (SARRUS_\w*##name)\b[^\n]*\n#include "(sarrus/\w+\.def)"$', re.M)
CONSTANT = re.compile(r"^\s+(SARRUS_\w+)\s*=[^,\n]*?(?:/\* (.*?) \*/)?\s*$", re.M)


class HeaderError(Exception):
    """A header that this script does not understand."""


@dataclass
class Item:
    """A comment and what it is about: declarations without a blank line between them; a comment alone is a paragraph."""

    comment: str = ""
    declarations: list[str] = field(default_factory=list)


def head_of(header: str) -> str:
    """What a header says of itself."""
    found = COMMENT.match(header)
    if found is None:
        raise HeaderError("a header that does not begin with a comment")
    return words_of(found[0])


def inner(header: str) -> str:
    """What is within the guard, without includes and without the frame for C++."""
    found = GUARD.search(header)
    if found is None:
        raise HeaderError("a header without a guard")
    text = found[1]
    if FRAME in text:
        text = text.partition(FRAME)[2].rpartition("#ifdef __cplusplus")[0]
    # Conditions choose attributes of compilers, which no page shows.
    return re.sub(r"^#if .*?^#endif\n", "", text, flags=re.M | re.S)


def items(text: str) -> list[Item]:
    found, lines, current = [], text.split("\n"), Item()
    i = 0
    while i < len(lines):
        if not lines[i].strip():
            if current.comment or current.declarations:
                found.append(current)
            current = Item()
            i += 1
            continue
        begin = i
        if lines[i].startswith("/*"):
            while "*/" not in lines[i]:
                i += 1
            if current.declarations:
                found.append(current)
                current = Item()
            current.comment = (current.comment + "\n\n" + words_of("\n".join(lines[begin : i + 1]))).strip()
        elif lines[i].startswith("#"):
            while lines[i].endswith("\\"):
                i += 1
            current.declarations.append("\n".join(lines[begin : i + 1]))
        else:
            while not is_whole("\n".join(lines[begin : i + 1])):
                i += 1
                if i == len(lines):
                    raise HeaderError(f"a declaration without an end: {lines[begin]}")
            current.declarations.append("\n".join(lines[begin : i + 1]))
        i += 1
    return found


def is_whole(text: str) -> bool:
    code = COMMENT.sub("", text)
    return code.rstrip().endswith(";") and code.count("{") == code.count("}")


def words_of(comment: str) -> str:
    """The text of a comment."""
    return re.sub(r"^ ?\* ?", "", comment.removeprefix("/*").removesuffix("*/"), flags=re.M).strip()


class Writer:
    """Markdown of MyST. `roles` are all names of the API and how they are referred to."""

    def __init__(self, folder: Path, roles: dict[str, str]) -> None:
        self.folder, self.roles = folder, roles

    def prose(self, text: str) -> str:
        """A comment's text: spans of code stay as they are, names of the API and pages of docs/ become links."""
        parts = re.split(r"(`[^`]*`)", text)
        return "".join(part if i % 2 else self.linked(part) for i, part in enumerate(parts))

    def linked(self, text: str) -> str:
        text = re.sub(r"([\\*\[\]<>|$#])", r"\\\1", text)
        text = re.sub(r"\bdocs/(\w+)\.md\b", r"[\1](../../\1.md)", text)
        text = re.sub(r"\b(sarrus_\w+)", lambda name: self.role(name[1]), text)
        return re.sub(r"^(\d+)([.)])", r"\1\\\2", text, flags=re.M)

    def role(self, name: str) -> str:
        return f"{{c:{self.roles[name]}}}`{name}`" if name in self.roles else name

    def item(self, item: Item) -> str:
        """A comment stands in what it is about, and above where that is several functions."""
        said = self.prose(item.comment)
        if not item.declarations:
            return said + "\n"
        made, signatures = [], []
        for text in item.declarations:
            if FUNCTION.match(COMMENT.sub("", text).strip()):
                signatures.append(signature(text))
            else:
                made.append(self.declared(text, said))
                said = ""
        made += functions(signatures, said)
        return "\n".join(made)

    def declared(self, text: str, said: str) -> str:
        """A type, a set of constants, a macro."""
        if macro := MACRO.match(text):
            value = re.sub(r"\s+", " ", text.removeprefix(macro[0]).replace("\\\n", "")).strip()
            return directive("macro", macro[1], f"{said}\n\n`{value}`".strip())
        if text.startswith("enum"):
            rows = CONSTANT.findall(text) if "#include" in text else []
            body = "\n".join(f"- `{name}` {self.prose(more)}" for name, more in rows) or fenced(text)
            return f"{said}\n\n{body}\n"
        if CALLBACK.match(text):
            return directive("type", signature(text).removeprefix("typedef "), said)
        found = TYPE.match(text)
        if found is None:
            raise HeaderError(f"no declaration that this script knows: {text}")
        kind, name = found.groups()
        if "{" not in text:
            return directive("struct", name, said or "What is in it is the library's.")
        body = self.tables(text) if "#include" in text else ""
        return directive(kind, name, f"{said}\n\n{body or fenced(text)}".strip())

    def tables(self, text: str) -> str:
        """Enumerators that come from a table: the rows of the table."""
        made = []
        for macro, parameters, name, table in TABLE.findall(text):
            names = [own.strip() for own in parameters.split(",")]
            shown = [own for own in ("value", "word", "unit", "title", "text") if own in names]
            row = " ".join([f"@@ {name}", *(f"@@ {own}" for own in shown)])
            source = f'#define {macro}({parameters}) {row} @@@\n#include "{table}"\n'
            command = ["cc", "-E", "-P", "-x", "c", f"-I{self.folder.parent}", "-"]
            said = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
            made.append("| | " + " | ".join(shown) + " |\n" + "| --- " * (len(shown) + 1) + "|")
            for line in re.findall(r"@@ (.*?) @@@", said, re.S):
                cells = [cell.strip() for cell in line.split("@@")]
                made.append(f"| `{cells[0]}` | " + " | ".join(self.cell(cell) for cell in cells[1:]) + " |")
        if not made:
            raise HeaderError(f"an enum of a table that this script does not know: {text}")
        return "\n".join(made)

    def cell(self, text: str) -> str:
        parts = re.findall(r'"((?:\\.|[^"\\])*)"', text)
        return self.linked("".join(parts).replace('\\"', '"')) if parts else text.strip("()")


def signature(text: str) -> str:
    plain = COMMENT.sub("", text).replace("SARRUS_MUST_USE ", "").strip().rstrip(";")
    return re.sub(r"\s+", " ", re.sub(r"\s*SARRUS_PRINTF\([^)]*\)", "", plain))


def fenced(text: str) -> str:
    return f"```c\n{text}\n```"


def functions(signatures: list[str], said: str) -> list[str]:
    """A comment on what makes an object is not about what destroys it."""
    if len([own for own in signatures if "_destroy(" not in own]) > 1:
        return [f"{said}\n", *(directive("function", own, "") for own in signatures)]
    return [directive("function", own, said if i == 0 else "") for i, own in enumerate(signatures)]


def directive(kind: str, signature: str, body: str) -> str:
    """Colons as a fence, so that a body may have fences of its own."""
    return f"::::{{c:{kind}}} {signature}\n\n{body}\n::::\n"


def roles_of(found: dict[str, list[Item]]) -> dict[str, str]:
    roles = {}
    for own in found.values():
        for text in (text for item in own for text in item.declarations):
            code = COMMENT.sub("", text).strip()
            if name := FUNCTION.match(code):
                roles[name[1]] = "func"
            elif name := CALLBACK.match(code):
                roles[name[1]] = "type"
            elif name := TYPE.match(code):
                roles[name[2]] = name[1]
    return roles


def pages(folder: Path) -> list[tuple[str, str]]:
    """(place, text) of each header's page and of the page that lists them."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.h"))}
    found = {stem: items(inner(text)) for stem, text in texts.items()}
    writer = Writer(folder, roles_of(found))
    heads = {stem: writer.prose(head_of(text)) for stem, text in texts.items()}
    made, rows = [], []
    for stem in texts:
        if stem == "sarrus":
            continue
        body = "\n".join(writer.item(item) for item in found[stem])
        made.append((f"reference/c/{stem}.md", f"# sarrus/{stem}.h\n\n{heads[stem]}\n\n{body}"))
        first = re.split(r"(?<=\.)\s", heads[stem].replace("](../../", "](../"))[0].replace("\n", " ")
        rows.append(f"| [sarrus/{stem}.h](c/{stem}.md) | {first} |")
    index = f"# The C API, header by header\n\n{heads['sarrus']}\n\n[The tour](../api.md) says how they go together.\n\n"
    index += "| header | |\n| --- | --- |\n" + "\n".join(rows)
    index += "\n\n```{toctree}\n:hidden:\n:glob:\n\nc/*\n```\n"
    return [*made, ("reference/c.md", index)]
