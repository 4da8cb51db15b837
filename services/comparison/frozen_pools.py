"""The frozen pools in the folder of a comparison, held against what its protocol says of them."""

from collections.abc import Mapping
from pathlib import Path

from kg.errors import InputError
from services.comparison.folder import POOL_FILE, Finding, breach
from services.comparison.pool import Drawn, pool_hash, read_pool
from services.comparison.protocol import CandidatePool, Protocol
from services.comparison.records import Candidates


def drawn_by(pool: CandidatePool) -> Drawn:
    """How the pools of a protocol were drawn, as it says."""
    return Drawn(pool.retriever, pool.size)


def frozen_pools(folder: Path, protocol: Protocol) -> tuple[Mapping[str, Candidates], list[Finding]]:
    """The pools by the id of their question, none where they can't be read; and where they are others.

    A protocol whose retriever or size was edited names a way in which they were not drawn.
    """
    try:
        pools = read_pool(folder / POOL_FILE)
    except InputError as error:
        return {}, [breach("pool", f"{error}")]
    said, drawn = protocol.pool, pools.drawn
    if (found := pool_hash(drawn, pools.of.values())) != said.hash:
        told = f"{POOL_FILE} holds other pools, of hash {found}: put the file back as it was written."
        return pools.of, [breach("pool.hash", told)]
    findings = []
    if drawn.retriever != said.retriever:
        told = f"the pools were drawn by {drawn.retriever!r}, not by {said.retriever!r}: put it back."
        findings.append(breach("pool.retriever", told))
    if drawn.size != said.size:
        told = f"the pools were drawn with at most {drawn.size:,} chunks, not {said.size:,}: put it back."
        findings.append(breach("pool.size", told))
    if larger := next((one.question for one in pools.of.values() if len(one.chunks) > drawn.size), None):
        told = (
            f"the pool of {larger} has more than {drawn.size:,} chunks: put the file back as it was written."
        )
        findings.append(breach("pool", told))
    return pools.of, findings
