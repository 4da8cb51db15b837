"""Judged comparisons: what was fixed before each of them, and what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import Response

from services.api.parameters import CorpusName, StandardName
from services.api.resources import Reading, Shared
from services.standard.analysis.content import Results
from services.standard.report.renderers import render_html, render_latex, render_markdown
from services.views import standards as standards_view
from services.views.standards import StandardDetail, StandardSummary

ReportFormat = Literal["html", "md", "tex"]


@dataclass(frozen=True, slots=True)
class _Form:
    """How a report is written, and as what it is sent."""

    render: Callable[[Results], str]
    media_type: str


_FORMS: Mapping[ReportFormat, _Form] = {
    "html": _Form(render_html, "text/html"),
    "md": _Form(render_markdown, "text/markdown"),
    "tex": _Form(render_latex, "application/x-tex"),
}

standards_router = APIRouter(prefix="/corpora/{corpus}", tags=["standards"])


@standards_router.get("/standards")
async def list_standards(graph: Reading, corpus: CorpusName) -> tuple[StandardSummary, ...]:
    """The judged comparisons of a corpus, with how their hypotheses were decided."""
    return await standards_view.list_standards(graph, corpus)


@standards_router.get("/standards/{standard}")
async def read_standard(graph: Reading, corpus: CorpusName, standard: StandardName) -> StandardDetail:
    """One judged comparison: its locked protocol, and every figure of its report once it was run."""
    return await standards_view.read_standard(graph, corpus, standard)


@standards_router.get(
    "/standards/{standard}/report.{format}",
    response_class=Response,
    responses={
        200: {
            "description": "The report as a file.",
            "content": {form.media_type: {"schema": {"type": "string"}} for form in _FORMS.values()},
        }
    },
)
async def read_standard_report(
    shared: Shared,
    corpus: CorpusName,
    standard: StandardName,
    format: ReportFormat,  # noqa: A002  the name in the address
) -> Response:
    """The report of a judged comparison as a file: one page that opens anywhere, or its tables."""
    found = standards_view.results_of(await standards_view.read_standard(shared.graph, corpus, standard))
    form = _FORMS[format]
    text = await shared.in_thread(form.render, found)
    # The page has its style inside, which the policy for pages of this server forbids: it is for keeping.
    disposition = f"attachment; filename*=UTF-8''{quote(standard, safe='')}.{format}"
    return Response(text, media_type=form.media_type, headers={"Content-Disposition": disposition})
