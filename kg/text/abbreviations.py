"""What the sentence splitter knows of English: words whose full stop need not end a sentence."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEVER_ENDS = _set(
    """
    dr mr mrs ms mx prof gen sen rep gov lt col capt cmdr maj sgt cpl pvt adm rev hon pres msgr fr supt
    insp det messrs mme mlle mt ft amb asst assoc hr brig lt.col lt.gen maj.gen vs v e.g i.e cf viz
    approx esp incl
    """
)
"""Titles and the like: a name or the rest of a phrase follows."""

BEFORE_NUMBER = _set(
    """
    no nos art sec fig figs p pp vol ch ver par c ca jan feb mar apr jun jul aug sep sept oct nov dec
    """
)
"""They end no sentence before a digit: "No. 10", "Jan. 3"."""

MAY_END = _set(
    """
    st ave blvd rd hwy inc ltd corp co cos kft zrt bros jr sr esq dept univ govt assn ph.d jan feb mar apr jun
    jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat ala ariz ark calif colo conn del fla
    ga ill ind kan ky la mass md mich minn miss mo mont neb nev okla ore pa tenn tex vt va wash wis wyo
    ont que
    """
)
"""With a capital, they end a sentence only before one of `OPENERS`; initials and "U.S." do so too."""

HOURS = _set("a.m p.m")

AFTER_HOURS = _set(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january
    february march april may june july august september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec eastern central mountain pacific greenwich british local et est edt ct
    cst cdt mt mst mdt pt pst pdt gmt utc bst cet cest ist jst hkt aest aedt
    """
)
"""After "p.m." these go on with the time instead of opening a sentence."""

OPENERS = _set(
    """
    a about according after all although also among an and another any are as asked at because before
    both but by can could despite did do does during each earlier even every few for from he her here
    his how however i if in instead is it its last later like many meanwhile more moreover most much my
    nearly neither none nor not now of officials on once one only or other our over overall people
    perhaps police prosecutors she should since so some still such that the their then there these they
    this those though through throughout thus to today under unlike until we what when where whether
    which while who why will with without yes yet you your
    """
)
"""Words that, with a capital, open a sentence far more often than they belong to a name."""

SPEECH_VERBS = _set(
    """
    said says say asked asks added adds wrote writes told tells shouted replied continued recalled joked
    quipped wondered tweeted posted yelled cried declared insisted warned
    """
)
"""What stands between a quotation and the end of its sentence, with the speaker."""
