"""Entities in arguments: agents may call them by id or by name."""

import re
from collections.abc import Sequence

from services.rag.agents.graph_agent.link_tool import NameLinker

_ID = re.compile(r"entity-[0-9a-f]{16}")


def entity_ids(linker: NameLinker, calls: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The ids of the entities that each call means, each once; what the graph doesn't know is left out.

    An id may stand anywhere in a text, as in "Ann Brel (PERSON) [entity-0123456789abcdef]".
    """
    names = sorted({text for texts in calls for text in texts if not _ID.search(text)})
    meant = dict(zip(names, linker.named(names), strict=True)) if names else {}
    return [
        tuple(
            dict.fromkeys(
                entity
                for text in texts
                for entity in (
                    _ID.findall(text) if text not in meant else (one.node.id for one in meant[text][:1])
                )
            )
        )
        for texts in calls
    ]
