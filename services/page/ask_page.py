"""Ask the graph a question and see the answer, the path to it, the steps and what was retrieved."""

from fastapi import APIRouter
from fastapi.responses import Response

from kg.errors import HopgradeError
from services.api.resources import Shared
from services.page.known import require_known
from services.page.parameters import CorpusName, one_of, short_text
from services.page.pictures import answer_picture
from services.page.rendering import page
from services.page.route import PageRoute, status_of
from services.rag.ask import Asking
from services.rag.retrieval.choose import DEFAULT, RETRIEVERS
from services.rag.run_options import SYSTEMS

router = APIRouter(route_class=PageRoute, include_in_schema=False)

RETRIEVED = 10


@router.get("/c/{corpus}/ask")
async def ask(
    shared: Shared,
    corpus: CorpusName,
    question: str = "",
    system: str = "single-step",
    retriever: str = DEFAULT,
) -> Response:
    """The form, and below it the answer where something was asked."""
    embedder = await require_known(shared.graph, corpus)
    sought = short_text(question, "question")
    chosen = one_of(system, "system", SYSTEMS)
    finder = one_of(retriever, "retriever", RETRIEVERS)
    asking: Asking | None = None
    failed: HopgradeError | None = None
    if sought:
        try:
            shared.require_spending("rules", embedder)
            asking = await shared.in_thread(
                shared.warm.ask, corpus, embedder, sought, chosen, finder, RETRIEVED
            )
        except HopgradeError as error:
            failed = error
    return page(
        "ask.html",
        "Ask",
        corpus,
        "ask",
        status=status_of(failed) if failed else 200,
        question=sought,
        system=chosen,
        systems=SYSTEMS,
        retriever=finder,
        retrievers=RETRIEVERS,
        asking=asking,
        failed=failed,
        picture=answer_picture(asking.path) if asking else None,
    )
