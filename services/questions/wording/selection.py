"""What verbs ask of their subject and object: "coaches" has a person before it and a team behind it.

A slot holds sorts of `head_nouns.SORTS`, or nouns ("team"), which are both a demand and a proposal; "-person"
demands only that it is nobody ("-place": no place). An empty slot demands nothing. Keys begin with the lemma
("be bear in"); "~" is any complement.
"""

from functools import lru_cache

from services.questions.wording.predicates import Predicate, parse

_FRAMES = """
lead: person > organisation
head: person > organisation
chair: person > organisation
direct: person >
manage: person > organisation
coach: person > team
captain: person > team
govern: person > place
be bear in: person > place
be bear on: person > place
study at: person > university
be educate at: person > university
graduate from: person > university
attend: person organisation > -law
be citizen of: person > country
teach at: person > university
lecture at: person > university
work at: person > organisation
work for: person > organisation
play for: person > team
sign for: person > club
row for: person > club
ride for: person > team
drive for: person > team
race for: person > team
swim for: person > club
sing for: person > organisation
play under: person > person
be marry to: person > person
marry: person > person
be daughter of: person > person
be son of: person > person
be sister of: person > person
be brother of: person > person
be cousin of: person > person
be wife of: person > person
be husband of: person > person
be mother of: person > person
be father of: person > person
be chancellor of: person > organisation
be rector of: person > organisation
be president of: person >
be physician of: person >
become president of: person >
run against: person > person
succeed: person >
found: person organisation > organisation place
own: person organisation > -person
own stake in: person organisation > company
acquire: person organisation > company
employ: organisation > person
be headquarter in: organisation > place
be base in: > place
be locate in: place organisation product > place
be locate on: place organisation product > place
be situate in: place organisation product > place
lie in: place > place
lie on: place > place
flow into: river > place
rise in: river > place
be twin with: town > town
be capital of: city > country
border: place > place
sponsor: person organisation >
fund: person organisation >
finance: person organisation >
sign: >
win: person organisation > event award
receive: >
treat: person organisation > person disease
prescribe drug to: person organisation > person
be operate at: person > hospital
be implant at: product > hospital
be test at: product > organisation place
be derive from: product > -person
be inject on: product > date
be launch from: craft > site
be launch on: product >
be plan to launch on: craft >
accuse: person organisation > person organisation
fine: person organisation > person organisation
criticise: person organisation > person organisation
criticize: person organisation > person organisation
defend: person organisation > person organisation
advise: person organisation > person organisation
suspend: person organisation > person organisation
sue: person organisation > person organisation
warn: person organisation > person organisation
arrest: > person
escort: >
elect: organisation place > person
appoint: person organisation > person organisation
name ~ after: person organisation >
hire: organisation > person
train: person organisation > person
train ~ of: person organisation > organisation
recall: organisation > product
be recall to: person > place
approve: person organisation > product
ban: person organisation > -place
develop: person organisation > product
manufacture: organisation > product
design: person organisation > product place
design ~ of: person organisation > place product
invent: person organisation > product
build: person organisation > product place
make: > product
install: person organisation > product
deliver: > product
sell: person organisation >
operate: organisation person > -person
run: person organisation > organisation event
oversee: person organisation > organisation
organise: person organisation > event
host: place organisation >
sequence: person organisation > organism
discover: person organisation > -person
breed in: organism > place
live in: person organism > place
live on: person organism > place
pollute: organisation person > place
be hold in: event > place
be stage at: event > place
be row on: event > place
take place in: event > place
referee: person > event
compete in: team person > competition
investigate: > -place
regulate: > -person
be patrol by: place >
be stock by: product > organisation
be captain by: team > person
be run by: organisation event > person organisation
be own by: > person organisation
be sponsor by: > person organisation
be found by: organisation place > person organisation
be govern by: place > person
be train by: person > person organisation
be elect by: person >
give ~ to: > person organisation
give scholarship to: organisation person > person
give freedom of the city to: place organisation > person
award ~ to: person organisation > person organisation
lend ~ to: person organisation > person organisation
send ~ to: person organisation >
raise ~ for: person organisation > -person
provide ~ for: person organisation >
give ~ of: person organisation > -person
order ~ of: person organisation > product
report harm from: person organisation > product
carry camera by: product > organisation
approve ~ by: person organisation > person organisation
approve ~ at: person organisation > place
build ~ in: person organisation > place
test ~ in: person organisation > place
supply ~ to: organisation person > -person
supply ~ of: organisation person > -person
use data from: >
study ~ of: person organisation > -person
fund research on: organisation person > -person
forge ~ of: organisation person > -person
draw plans of: person organisation > -person
attend launch of: person > -person
take image of: > -person
photograph: >
adopt: >
command: person > organisation product
take charge of: person > organisation
partner with: organisation > organisation
break out on: disease > place
break out in: disease > place
ferry ~ from: organisation person > place
supply: organisation person >
issue ~ on: person organisation > -organisation
complain about: person organisation >
wave: person >
play home games at: team > stadium
play ~ games at: team > stadium
join board of: person > organisation
join: person organisation >
sit on board of: person > organisation
lease: person organisation >
die in: person > place
move to: person organisation >
write: person > work
be award: > award
test positive for: person > product disease
test for: person > product disease
detect ~ from: >
carry ~ for: >
cut ~ for: >
open ~ of: >
open ~ for: >
be affiliate with: person > organisation
be member of: > organisation
be speaker of: person > organisation
be delegate to: person > organisation
be nominate to: person > organisation
be elect to: person > organisation
be induct into: person > organisation
be hospitalize in: person > place
be hospitalise in: person > place
be from: person organisation > place
be in: > place
serve in: person > organisation
serve on: person > organisation
vote to leave: > organisation
vote to join: > organisation
belong to: > organisation
interview: person organisation > person
praise: person organisation >
impeach: organisation > person
confirm: organisation > person
nominate: person organisation > person
designate: person organisation > person
divorce: person > person
be succeed by: person > person
be survive by: person > person
cite: person organisation >
speak with: person organisation > person organisation
meet with: person > person
write to: person > person organisation
perform in: person > work event
leave: person organisation > place organisation
attend school at: person > university
perform with: person > person organisation
preside over: person > organisation event
preside for: person > organisation
direct film: person > work
publish: person organisation > work
compose: person > work
paint: person > work
"""


@lru_cache(maxsize=1)
def _frames() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    found = {}
    for line in _FRAMES.strip().splitlines():
        key, _, slots = line.partition(":")
        before, _, behind = slots.partition(">")
        found[key.strip()] = (frozenset(before.split()), frozenset(behind.split()))
    return found


@lru_cache(maxsize=16_384)
def slots(predicate: str) -> tuple[frozenset[str], frozenset[str]]:
    """What the predicate demands of its subject and of its object."""
    found = parse(predicate)
    for key in _keys(found):
        if key in _frames():
            return _frames()[key]
    active = _frames().get(found.lemma) if found.voice == "passive" and not found.complement else None
    nothing: frozenset[str] = frozenset()
    if active is not None:
        return active[1], active[0] if found.has_agent else nothing
    return nothing, nothing


def has_frame(found: Predicate) -> bool:
    """Whether the list has the predicate, or the active verb of its passive."""
    passive = found.voice == "passive" and not found.complement and found.lemma in _frames()
    return passive or any(key in _frames() for key in _keys(found))


def _keys(found: Predicate) -> tuple[str, ...]:
    first = f"be {found.lemma}" if found.voice == "passive" else found.lemma
    behind = (found.preposition,) if found.preposition else ()
    whole = " ".join((first, *((found.complement,) if found.complement else ()), *behind))
    if not found.complement:
        return (whole,)
    last = found.complement.split()[-1]
    return whole, " ".join((first, last, *behind)), " ".join((first, "~", *behind))
