"""Retrieval from asynchronous code: one function for every retriever."""

import asyncio
from collections.abc import Sequence

from services.rag.protocol import Asked, Hit, Retriever


async def retrieve_async(retriever: Retriever, questions: Sequence[Asked]) -> list[list[Hit]]:
    """What `retriever.retrieve` gives, in a thread, so that the event loop goes on meanwhile.

    The driver serves each thread with a connection of its own. A search that began runs to its end even where
    the caller stops waiting for it.
    """
    return await asyncio.to_thread(retriever.retrieve, questions)
