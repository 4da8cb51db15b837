"""The tool that reads claims: the sentences behind facts, and with them the chunks that are the evidence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.llm.protocol import JsonValue, json_object
from kg.queries import query
from kg.store.graph import Graph
from services.rag.agents.graph_agent.arguments import LIST, TEXT, list_of, malformed, text_of
from services.rag.agents.graph_agent.seen import Claim, SeenClaims
from services.rag.agents.protocol import Asking, Call, Observation
from services.rag.agents.repeats import same_search
from services.rag.evidence_budget import EvidenceBudget, Piece
from services.rag.protocol import Hit

READ_CLAIMS: Literal["read_claims"] = "read_claims"

_ID = re.compile(r"claim-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ReadTool:
    """Reads claims; the chunks that hold them are what the step saw."""

    graph: Graph
    corpus: str
    evidence: EvidenceBudget | None

    @property
    def name(self) -> str:
        """What agents call it."""
        return READ_CLAIMS

    @property
    def about(self) -> str:
        """What it does."""
        return "Read the claims behind facts, by their ids, with the articles that state them."

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return json_object(claims=LIST, about=TEXT)

    def sought(self, call: Call) -> str | None:
        """What a call looks for."""
        claims = list_of(call, "claims")
        return same_search(READ_CLAIMS, " / ".join(sorted(claims))) if claims else None

    def run(self, askings: Sequence[Asking]) -> list[Observation]:
        """The claims of each call, in its order, in one round trip."""
        wanted = [_ids(asking.call) for asking in askings]
        rows = self.graph.read_in_batches(
            query("agents/read_claims"), sorted({one for ids in wanted for one in ids}), corpus=self.corpus
        )
        known = {row["id"]: Claim(**{**row, "chunks": tuple(row["chunks"])}) for row in rows}
        return [
            self._observed(asking, [known[one] for one in ids if one in known], len(ids))
            if ids
            else malformed(f"{READ_CLAIMS} needs ids of claims, such as those behind facts")
            for asking, ids in zip(askings, wanted, strict=True)
        ]

    def _observed(self, asking: Asking, claims: Sequence[Claim], wanted: int) -> Observation:
        if self.evidence is not None:
            pieces = [Piece(claim.id, claim.text) for claim in claims]
            taken = self.evidence.admitted(asking.asked.id, pieces, last=False)
            claims = [claim for claim, fits in zip(claims, taken, strict=True) if fits]
        told = "\n".join(f"[{claim.id}] {claim.told}" for claim in claims)
        # In the order in which the claims were wanted; the score says no more than that.
        best: dict[str, Hit] = {}
        for place, claim in enumerate(claims, start=1):
            for chunk in claim.chunks:
                best.setdefault(chunk, Hit(chunk, 1 / place))
        return SeenClaims(
            told or "the graph has no such claims, or there is no room for more",
            tuple(best.values()),
            retrieves=True,
            query=text_of(asking.call, "about"),
            top_k=wanted,
            claims=tuple(claims),
        )


def _ids(call: Call) -> tuple[str, ...]:
    """The ids of claims that a call has, wherever they stand in its texts."""
    return tuple(dict.fromkeys(found for text in list_of(call, "claims") for found in _ID.findall(text)))
