"""A chain question in steps, a short sentence a fact, with the names on the way hidden behind what they are.

"Phil Collins chairs a party. That party nominated a person in 1968. Which state was that person governor of?"

The nested form needs relations that somebody is described by ("the club that signed ..."). Here every fact
keeps its own verb, so that it only has to read as a sentence. What an article only reports begins with whose
word it is: "According to the mayor, that party ...".
"""

from collections import Counter
from collections.abc import Sequence

from services.questions.draft import Fact, Stop
from services.questions.wording.articles import complement_of, role_of, with_article
from services.questions.wording.asking import ask
from services.questions.wording.chain import nouns_on_the_way, predicate_of, settled
from services.questions.wording.clauses import Known, group_of, joined
from services.questions.wording.nouns import noun_of, question_word, sorts_of
from services.questions.wording.predicates import Predicate, is_plural

STEPWISE = "stepwise-5"
"""The generator of questions in this form."""

_FIRST = {1: "a", 2: "another", 3: "a third", 4: "a fourth", 5: "a fifth"}
_LATER = {1: "that", 2: "that other", 3: "that third", 4: "that fourth", 5: "that fifth"}


def stepwise_question(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    """The question that leads from the first stop along all facts; `stops` has one more than `facts`."""
    stops = settled(stops, facts)
    nouns = nouns_on_the_way(stops, facts)
    known, sentences, used = _start(stops, facts), [], Counter[str]()
    for at, fact in enumerate(facts[:-1], start=1):
        noun = nouns[at - 1]
        used[noun] += 1
        found = predicate_of(fact, stops[at] if fact.reversed else stops[at - 1])
        new = Known(_article(_FIRST[used[noun]], noun), noun=noun)
        said = _sentence(new, found, known) if fact.reversed else _sentence(known, found, new)
        sentences.append(_reported(fact, said))
        known = Known(f"{_LATER[used[noun]]} {noun}", noun=noun)
    return " ".join((*sentences, _last_question(stops, facts, known)))


def _start(stops: Sequence[Stop], facts: Sequence[Fact]) -> Known:
    plural = not facts[0].reversed and is_plural(predicate_of(facts[0], stops[0]))
    noun = noun_of(stops[0], (), [fact.predicate for fact in facts[:1] if not fact.reversed])
    name = with_article(stops[0].name, facts[0].sentence, "person" in sorts_of(noun))
    return Known(name, plural=plural, noun=noun)


def _sentence(subject: Known, found: Predicate, object_: Known) -> str:
    role = (found.is_role and found.voice == "copula") or (
        found.lemma == "become" and found.preposition == "of"
    )
    complement = role_of(found) if role else complement_of(found)
    said = joined(subject.text, group_of(subject, found), complement, found.preposition, object_.text)
    return f"{said}."


def _last_question(stops: Sequence[Stop], facts: Sequence[Fact], known: Known) -> str:
    fact, wanted = facts[-1], stops[-1]
    found = predicate_of(fact, wanted if fact.reversed else stops[-2])
    leads, before = ((), (fact.predicate,)) if fact.reversed else ((fact.predicate,), ())
    word = question_word(wanted, leads, before)
    text = ask(known, found, word, noun_of(wanted, leads, before), fact.reversed)
    return f"{_reported(fact, text)}?"


def _reported(fact: Fact, text: str) -> str:
    """A sentence with whose word it is, where the article only reports it."""
    said = f"according to {fact.attributed_to}, {text}" if fact.attributed_to else text
    return f"{said[:1].upper()}{said[1:]}"


def _article(first: str, noun: str) -> str:
    return (
        f"an {noun}"
        if first == "a" and noun[:1] in "aeiou" and not noun.startswith("uni")
        else f"{first} {noun}"
    )
