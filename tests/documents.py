"""The documents as the tests read them: sections, tables, code inside sentences, fenced blocks, and shapes of JSON."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")
SHAPE = re.compile(r'\{("[^{}]*)\}')


def text(name: str) -> str:
    """Return a document."""
    return (ROOT / name).read_text(encoding="utf-8")


def section(document: str, heading: str) -> str:
    """Return what stands under a heading, up to the next of its rank or a higher one."""
    level = heading.partition(" ")[0]
    _, found, rest = f"\n{document}".partition(f"\n{heading}\n")
    assert found, heading
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(part: str) -> list[list[str]]:
    """Return the cells of every row of the tables in a part of a document, the heads left out."""
    found = [[cell.strip() for cell in line[1:-1].split("|")] for line in part.splitlines() if line[:1] == "|"]
    ruled = [index for index, row in enumerate(found) if set("".join(row)) <= set("- ")]
    return [row for index, row in enumerate(found) if index not in ruled and index + 1 not in ruled]


def coded(part: str) -> list[str]:
    """Return what is set as code inside sentences and tables."""
    sentences = re.sub(r"^```.*?^```$", "", part, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(found.split()) for found in CODE.findall(sentences)]


def blocks(document: str, kind: str) -> list[str]:
    """Return the fenced blocks of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)


def anchors(document: str) -> set[str]:
    """Return the anchors of the headings, as they are made of their words."""
    headings = re.findall(r"^#+ (.+)$", document, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(document: str, folder: Path) -> list[str]:
    """Return the links of a document that lead to no file or heading of the project."""
    dead = []
    for link in LINK.findall(document):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (folder / path).read_text(encoding="utf-8") if path and (folder / path).is_file() else document
        if (path and not (folder / path).exists()) or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


class Shape(NamedTuple):
    """The members of an object: those always there, and those left out where they are empty."""

    always: frozenset[str]
    at_times: frozenset[str]

    def fits(self, members: set[str]) -> bool:
        """Tell whether an object with these members has this shape."""
        return self.always <= members <= self.always | self.at_times


def shapes(part: str) -> list[Shape]:
    """Return the shapes of objects that a part of a document shows."""
    shown = [re.findall(r'"([^"]+)"(°?)', one) for one in SHAPE.findall(part)]
    return [
        Shape(frozenset(name for name, mark in one if not mark), frozenset(name for name, mark in one if mark))
        for one in shown
    ]
