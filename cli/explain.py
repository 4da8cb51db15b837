"""`kg corpus explain`: which rule makes what of a sentence."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from cli.console import out, print_json, say, table
from cli.options import AsJson
from kg.errors import SettingsError
from kg.text.opinion import FACTUAL_FROM

app = typer.Typer(rich_markup_mode=None)

if TYPE_CHECKING:
    from kg.extract.article import ExplainedSentence, ExplainedTriple


@app.command("explain", epilog='Example: kg corpus explain "Ana Brel founded Norvik." --date 2031-05-17')
def explain_text(
    text: Annotated[str, typer.Argument(help="One or more sentences, in quotes.", show_default=False)],
    title: Annotated[
        str,
        typer.Option(help="Title of the article; a name in it can explain a pronoun.", show_default=False),
    ] = "",
    date: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM-DD", help="Day of the article, which makes dates whole.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what the rules read in a text: claims, fact or opinion, names, and triples rule by rule."""
    if not text.strip():
        raise SettingsError("the text is empty.", 'Give a sentence: kg corpus explain "Ana won the cup."')
    published = _published(date)
    # spaCy takes a second to import, which every other command would pay.
    from kg.extract.article import explain  # noqa: PLC0415
    from kg.extract.pipeline import load_model  # noqa: PLC0415

    found = explain(load_model(), text, title, published)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        _print(one)


def _published(date: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC) if date else None
    except ValueError as error:
        raise SettingsError(f"--date {date} is no day.", "Write it as 2031-05-17.") from error


def _print(one: "ExplainedSentence") -> None:
    say(" ".join(one.sentence.split()), "bold")
    if not one.statement:
        say("  no claim: a question, a headline or a list, not a statement\n")
        return
    rows = [
        ["claim", one.claim],
        *(["  put in", f"{made.new} for {made.old} ({made.kind})"] for made in one.substitutions),
        ["verified", f"no: {one.doubt}" if one.doubt else "yes"],
        ["fact or opinion", _judged(one)],
        *(["names", f"{mention.name} ({mention.type})"] for mention in dict.fromkeys(one.mentions)),
    ]
    out.print(table("", ("", ""), rows))
    if one.triples:
        out.print(
            table("", ("rule", "triple", "confidence", "marks"), [_triple_row(item) for item in one.triples])
        )
    else:
        say("no triples")
    for rule in {item.rule.name: item.rule for item in one.triples if item.rule is not None}.values():
        subject, predicate, target = rule.triple
        say(f"{rule.name}: {rule.reads}. {rule.example} -> ({subject} | {predicate} | {target})", "dim")
    for refused in one.refused:
        ends = f"({refused.subject} | {refused.predicate} | {refused.object})"
        say(f"refused, as it says nothing alone: {ends} by {refused.rule}", "dim")
    out.print()


def _judged(one: "ExplainedSentence") -> str:
    kind = "fact" if one.factual >= FACTUAL_FROM else "opinion"
    found = ", ".join(f"{sign.rule} {sign.weight:+.1f}" for sign in one.signs)
    return f"{kind} ({one.factual:.2f}): {found or 'no sign either way'}"


def _triple_row(item: "ExplainedTriple") -> list[object]:
    made = item.triple
    ends = f"{made.subject} ({made.subject_type}) | {made.predicate} | {made.object} ({made.object_type})"
    marks = [word for word, is_so in (("negated", made.negated),) if is_so]
    if made.attributed_to:
        marks.append(f"says {made.attributed_to}")
    return [made.rule, ends, made.confidence, ", ".join(marks)]
