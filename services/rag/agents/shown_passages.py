"""What a model that searches is shown: passages with numbers that go on from search to search."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kg.llm.prompts import fenced
from services.rag.citations import Cited, read_citations
from services.rag.context import Block, Context, build_context
from services.rag.model_generator import CONTEXT_TOKENS
from services.rag.protocol import Passage


@dataclass(slots=True)
class Shown:
    """The blocks that a model has been shown for one question, numbered from 1."""

    blocks: list[Block] = field(default_factory=list)

    def show(self, query: str, passages: Sequence[Passage]) -> str:
        """What the model gets to read of a search: new passages in fences, the numbers of those it has."""
        numbers = {chunk: block.number for block in self.blocks for chunk in block.chunks}
        fresh = [one for one in passages if one.chunk not in numbers]
        again = sorted({numbers[one.chunk] for one in passages if one.chunk in numbers})
        found = build_context(query, fresh, CONTEXT_TOKENS).blocks if fresh else ()
        new = [replace(block, number=len(self.blocks) + block.number) for block in found]
        self.blocks += new
        parts = [fenced(block.shown, f"passage {block.number}") for block in new]
        if again:
            parts.append(f"Found again: {', '.join(f'passage {number}' for number in again)}.")
        return "\n\n".join(parts) or "The search found no passage."

    def cited(self, answer: str) -> Cited:
        """An answer without its citations, and the chunks that it cites."""
        return read_citations(answer, Context(tuple(self.blocks)))
