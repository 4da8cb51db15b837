"""A page as a browser would take it apart: elements with their attributes and text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})


@dataclass(slots=True)
class Node:
    """An element; `content` are the elements and the texts in it, in their order."""

    tag: str
    attributes: dict[str, str]
    parent: "Node | None" = None
    content: list["Node | str"] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def get(self, name: str) -> str:
        """An attribute, or nothing."""
        return self.attributes.get(name, "")

    @property
    def children(self) -> list["Node"]:
        """The elements in it."""
        return [part for part in self.content if isinstance(part, Node)]

    @property
    def raw(self) -> str:
        """All text inside as it stands."""
        return "".join(part if isinstance(part, str) else part.raw for part in self.content)

    @property
    def classes(self) -> set[str]:
        """The classes."""
        return set(self.get("class").split())

    @property
    def text(self) -> str:
        """All text inside, with blanks as one."""
        return " ".join(self.raw.split())

    def walk(self) -> Iterator["Node"]:
        """The element and all inside it, in the order of the document."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, *tags: str) -> list["Node"]:
        """Every element inside with one of these tags."""
        return [node for node in self.walk() if node.tag in tags]

    def one(self, tag: str, class_: str = "") -> "Node":
        """The only element inside with this tag and class."""
        found = [node for node in self.all(tag) if not class_ or class_ in node.classes]
        assert len(found) == 1, f"{len(found)} of {tag}.{class_}"
        return found[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in {tag}"
        node = Node(tag, {name: value or "" for name, value in attrs}, self.open[-1])
        self.open[-1].content.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"{self.open[-1].tag} was closed as {tag}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def read_page(text: str) -> Node:
    """The document; it must be well formed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root
