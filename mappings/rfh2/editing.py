"""Changing one value of a folder's text; all other characters stay as they are."""

from __future__ import annotations

from dataclasses import dataclass, field

from .folder import MAX_DEPTH, MAX_TAGS, FolderError, FolderValue, tags_in, tokens
from .writing import write_element, write_grouped

_PADDING = " \0"


@dataclass(slots=True, eq=False)
class _Node:
    """An element. ``name``: behind the names of its groups. ``start``, ``end``: of the whole; ``inside``: where its end
    tag begins, or ``end`` where it has none."""

    name: str
    start: int
    end: int = 0
    inside: int = 0
    children: list[_Node] = field(default_factory=list)


def with_value(text: str, value: FolderValue) -> str:
    """Return a folder with a value: in the place of the last one of its name, else behind all others.

    Padding behind the folder is left out. Raises ``FolderError``.
    """
    text = text.rstrip(_PADDING)
    root = _parsed(text)
    found = [node for node in _leaves(root) if node.name == value.name]
    if found:
        leaf = FolderValue(value.name.rpartition(".")[2], value.type, value.value)
        return text[: found[-1].start] + write_element(leaf) + text[found[-1].end :]
    if root.inside == root.end:  # <usr/>
        tag = text[root.start : root.end].removesuffix("/>").rstrip()
        return f"{tag}>{write_grouped(value)}</{root.name}>"
    return text[: root.inside] + write_grouped(value) + text[root.inside :]


def without_value(text: str, name: str) -> str:
    """Return a folder without the values of a name and those in a group of that name, and without groups that this
    leaves empty; an empty text if the folder has nothing else. Raises ``FolderError``.

    Padding behind the folder is left out, unless nothing changes.
    """
    root = _parsed(text.rstrip(_PADDING))
    gone = _gone(root, name)
    if not gone:
        return text
    if len(gone) == len(root.children) and all(map(root.children.__contains__, gone)):
        return ""
    parts, position = [], 0
    for node in gone:
        parts.append(text[position : node.start])
        position = node.end
    return "".join((*parts, text[position : root.end]))


def has_value(text: str, name: str) -> bool:
    """Return whether a folder has a value of a name. Raises ``FolderError``."""
    return any(node.name == name for node in _leaves(_parsed(text.rstrip(_PADDING))))


def _parsed(text: str) -> _Node:
    if tags_in(text) > MAX_TAGS:
        raise FolderError(f"more than {MAX_TAGS} tags and references")
    open_nodes: list[_Node] = []
    names: list[str] = []
    root: _Node | None = None
    for token in tokens(text):
        if root is not None and not open_nodes:
            raise FolderError(f"something follows the folder at {token.start()}")
        if token["text"] is not None:
            continue
        if not token["end"]:
            names.append(token["name"])
            node = _Node(".".join(names[1:]) if root is not None else names[0], token.start())
            if root is None:
                root = node
            else:
                open_nodes[-1].children.append(node)
            open_nodes.append(node)
            if len(open_nodes) > MAX_DEPTH:
                raise FolderError(f"elements are nested deeper than {MAX_DEPTH} at {token.start()}")
        if token["end"] or token["empty"]:
            if not open_nodes or names[-1] != token["name"]:
                raise FolderError(f"</{token['name']}> at {token.start()} ends nothing")
            node = open_nodes.pop()
            names.pop()
            node.end = token.end()
            node.inside = token.start() if token["end"] else token.end()
    if root is None or open_nodes:
        raise FolderError("no folder" if root is None else f"<{open_nodes[-1].name}> has no end")
    return root


def _leaves(root: _Node) -> list[_Node]:
    """Return the elements that hold values, in order."""
    found = []
    waiting = list(reversed(root.children))
    while waiting:
        node = waiting.pop()
        if node.children:
            waiting += reversed(node.children)
        else:
            found.append(node)
    return found


def _gone(node: _Node, name: str) -> list[_Node]:
    """Return the elements to be taken out, outermost ones, in order."""
    found: list[_Node] = []
    for child in node.children:
        if child.name == name:
            found.append(child)
        elif child.children and name.startswith(child.name + "."):
            inside = _gone(child, name)
            emptied = len(inside) == len(child.children) and all(map(child.children.__contains__, inside))
            found += [child] if emptied else inside
    return found
