"""What `kg questions` shows in a terminal: one question with all that is known of it, and the funnel.

What `kg graph paths` shows in a terminal: numbers by depth, a path in words, its hops as a table.
"""

from collections.abc import Iterator, Sequence

from rich.table import Table

from cli.console import number_table, out, say, table
from kg.paths.path_rows import LINK_WORDS
from kg.store.graph import Row
from services.questions.draft import COMPOSED_KINDS
from services.questions.filters.choose import CLOSED_BOOK, KNOWN_FILTERS, describe
from services.questions.funnel import Column, problems_in_order
from services.questions.spans.facets import BorderShare
from services.questions.spans.question_spans import told_spans


def about_path(path: Row) -> str:
    """A path in words: its length, how many others there are, what it needs."""
    alternatives, fitting = path["alternatives"], path["fitting"]
    choice = "the only shortest path" if alternatives == 1 else f"one of {alternatives:,} shortest paths"
    if fitting < alternatives:
        choice += f" ({fitting:,} of them fit)"
    needs = [
        what
        for what, needed in (
            ("crosses articles", path["crosses_articles"]),
            ("needs an exact link", path["uses_exact"]),
            ("needs a link by context", path["uses_context"]),
            ("saved by hand", path.get("saved")),
        )
        if needed
    ]
    return ", ".join([f"{path['hops']} hops", choice, *needs])


def hop_table(title: str, hops: Sequence[Row]) -> Table:
    """What the hops of a path say, and where; which way they are walked where one goes against its edge."""
    backwards = any(hop["reversed"] for hop in hops)
    rows = [
        [
            index,
            LINK_WORDS.get(hop["link"], hop["link"]),
            f"{hop['subject']} | {hop['predicate']} | {hop['object']}{attribution(hop)}",
            *(["against" if hop["reversed"] else "along"] if backwards else []),
            hop["sentence"],
            ", ".join(filter(None, (hop["title"], hop["source"]))),
        ]
        for index, hop in enumerate(hops, start=1)
    ]
    walked = ["walked"] if backwards else []
    return table(title, ("hop", "joined by", "fact", *walked, "sentence", "article"), rows)


def attribution(hop: Row) -> str:
    """Who is reported to have said what a hop says; empty where the article says it itself."""
    return f" (says {hop['attributed_to']})" if hop["attributed_to"] else ""


def funnel_tables(corpus: str, columns: Sequence[Column], filters: Sequence[str]) -> Iterator[Table]:
    """A table for the depths of chain questions, one for the other kinds, and one for each composed kind.

    Each stands there only where it has a question.
    """
    chains = [column for column in columns if column.kind == "chain"]
    composed = [column for column in columns if column.kind in COMPOSED_KINDS]
    others = [column for column in columns if column.hops is None]
    if chains:
        heads = [f"{column.hops} hops" for column in chains]
        yield number_table(
            f"Chain questions of {corpus!r}", ("",), heads, _rows(chains, filters, "wanted, at least")
        )
    if others:
        heads = [column.kind for column in others]
        yield number_table("Other kinds", ("",), heads, _rows(others, filters, "wanted, at most"))
    yield from composed_tables(composed, filters)


def composed_tables(columns: Sequence[Column], filters: Sequence[str]) -> Iterator[Table]:
    """The funnel of composed questions by number of hops, a table for each kind that there is."""
    for kind in COMPOSED_KINDS:
        of_kind = [column for column in columns if column.kind == kind]
        if of_kind:
            heads = [f"{column.hops} hops" for column in of_kind]
            yield number_table(f"{kind.capitalize()} questions", ("",), heads, _rows(of_kind, filters))


def _rows(columns: Sequence[Column], filters: Sequence[str], wanted: str = "") -> list[list[object]]:
    rows: list[list[object]] = [["drawn", *(column.drawn for column in columns)]]
    for name in filters:
        fell = [column.fell.get(name, 0) for column in columns]
        if any(fell) and name != CLOSED_BOOK:
            rows.append([f"- {name}", *fell])
    if any(column.by_heart for column in columns):
        rows.append(["- known by heart to the model", *(column.by_heart for column in columns)])
    if any(column.dropped for column in columns):
        rows.append(["- dropped by reviewers", *(column.dropped for column in columns)])
    rows.append(["kept", *(column.kept for column in columns)])
    if any(column.by_heart for column in columns):
        rows.append(["kept, of all drawn", *(_percent(column.kept_of_drawn) for column in columns)])
        rows.append(
            ["kept, of those not known by heart", *(_percent(column.kept_of_unknown) for column in columns)]
        )
    if wanted:
        rows.append([wanted, *(column.target for column in columns)])
    return rows


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def refusal_table(columns: Sequence[Column]) -> Table | None:
    """Which problems a model named how often instead of a question, None where it named none."""
    of_chains = [column for column in columns if column.kind == "chain"]
    rows: list[list[object]] = [
        [problem, *(column.refused.get(problem, 0) for column in of_chains)]
        for problem in problems_in_order(of_chains)
    ]
    if not rows:
        return None
    heads = [f"{column.hops} hops" for column in of_chains]
    return number_table("Why the model made no question", ("",), heads, rows)


def border_table(borders: Sequence[BorderShare]) -> Table:
    """How many kept questions cross how many borders of each facet."""
    most = max(crossings for one in borders for crossings in one.by_crossings)
    heads = ("crossing", *(str(number) for number in range(most + 1)))
    rows = [
        [
            one.border,
            f"{one.crossing:,} of {one.questions:,} ({one.share:.0%})" if one.share is not None else "-",
            *(one.by_crossings.get(number, 0) for number in range(most + 1)),
        ]
        for one in borders
    ]
    return number_table("Borders that kept questions cross", ("",), heads, rows)


def print_question(row: Row) -> None:
    """A question with its facts, evidence, verdicts, first hops, reviews and answers, where it has them."""
    asked = row["question"]
    say(asked["text"] or "(no question)", "bold")
    say(_about(asked))
    if asked.get("given_id"):
        say(f"id of its set: {asked['given_id']}, type {asked['query_type'] or 'not told'}")
        if asked["unmatched"]:
            say(f"evidence that was not found in the corpus: {asked['unmatched']} pieces")
    if row["entities"]:
        say(f"path: {' > '.join(row['entities'])} ({row['path']})")
    if asked.get("absent"):
        say(f"absent: {asked['absent']}")
    for name, values in (("sources", asked.get("sources")), ("dates", asked.get("dates"))):
        if values:
            say(f"{name}: {', '.join(values)}")
    _print_facts(row["hops"])
    _print(
        "Evidence",
        ("hop", "similarity", "article", "chunk"),
        [[one["hop"], _three(one["similarity"]), one["article"], one["chunk"]] for one in row["evidence"]],
    )
    if told := told_spans(asked):
        say(f"Its evidence lies, at least, in {told}.")
    _print("Filters", ("filter", "verdict", "why, or what it checks"), list(_verdict_rows(asked)))
    _print(
        "Its hops",
        ("hop", "joined by", "atomic question", "answer", "id"),
        [[one["hop"], one["topology"], one["text"], one["answer"], one["id"]] for one in row["atomic"]],
    )
    _print(
        "Its first hops",
        ("hops", "question", "answer", "id"),
        [[one["hops"], one["text"], one["answer"], one["id"]] for one in row["prefixes"]],
    )
    _print(
        "Reviews",
        ("annotator", "decision", "reason", "text"),
        [[one["annotator"], one["decision"], one["reason"], one["text"]] for one in row["reviews"]],
    )
    _print(
        "Answers",
        ("run", "answer", "verdict", "by"),
        [[one["run"], one["text"] or one["error"], _verdict(one), _judges(one)] for one in row["answers"]],
    )


def _verdict_rows(asked: Row) -> Iterator[list[object]]:
    columns = (asked.get(name) or () for name in ("checked", "passed", "reasons"))
    for name, passed, reason in zip(*columns, strict=True):
        yield [name, "passed" if passed else "fell", reason or _about_filter(name)]


def _about(asked: Row) -> str:
    told = [
        f"answer {asked['answer']!r}" + (f" ({asked['answer_type']})" if asked.get("answer_type") else ""),
        str(asked["kind"]),
        {0: "hops not told", 1: "1 hop"}.get(asked["hops"], f"{asked['hops']} hops"),
        asked["status"] + (f" by {asked['rejected_by']!r}" if asked.get("rejected_by") else ""),
    ]
    if asked.get("difficulty_min") is not None:
        told.append(f"difficulty {asked['difficulty_min']:.3f}")
    if asked.get("bin") is not None:
        told.append(f"quartile {asked['bin']}")
    return ", ".join([*told, asked["generator"]])


def _print_facts(hops: Sequence[Row]) -> None:
    """What each hop says, a sentence below its fact: side by side they would not fit a terminal."""
    if hops:
        say("Facts", "italic")
    for hop in hops:
        link = f"[{hop['link']}] " if hop["link"] else ""
        fact = " | ".join(filter(None, (hop["subject"], hop["predicate"], hop["object"])))
        where = ", ".join(filter(None, (hop["article"], hop["source"])))
        sentence = f"{hop['sentence']} ({where})"
        # Only the hops of a path keep their triple; other kinds rest on whole claims.
        say(f"  {hop['index']}  {link}{fact or sentence}{attribution(hop)}")
        if fact:
            say(f"     {sentence}", "dim")


def _print(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if rows:
        out.print(table(title, columns, rows))


def _about_filter(name: str) -> str:
    return describe(name) if name in KNOWN_FILTERS else ""


def _three(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _verdict(answer: Row) -> str:
    return "right" if answer["correct"] else "error" if answer["error"] else "wrong"


def _judges(answer: Row) -> str:
    """Who decided, and every other verdict."""
    verdicts = [f"{one['judge']} {'right' if one['correct'] else 'wrong'}" for one in answer["verdicts"]]
    return ", ".join([answer.get("judged_by") or "exact match", *verdicts])
