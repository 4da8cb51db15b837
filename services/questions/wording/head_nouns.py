"""Closed lists: the last (or first) word of a name that tells what bears it, and what each noun is."""

import re
from collections.abc import Iterator

_LINE = re.compile(r"^(\S[^:]*): (.*(?:\n .*)*)", re.MULTILINE)


def table(text: str) -> Iterator[tuple[str, list[str]]]:
    """Lines of the form "key: words", which go on where the next line begins with a blank."""
    for key, words in _LINE.findall(text):
        yield key, words.split()


_SORTS = """
person: person
organisation: organisation company firm agency institute institution foundation trust fund bank ministry
  department bureau authority commission committee council association federation union society board
  group party league division newspaper magazine orchestra band choir court parliament senate assembly
  army navy police brewery airline insurer retailer maker manufacturer supplier operator start-up
  charity consortium franchise squad crew team club office service corporation government administration
  network broadcaster publisher studio label laboratory chamber legislature outlet
place: place city town village country state province county district region area island river lake sea
  ocean bay gulf strait canal mountain hill valley desert forest park street road bridge harbour port
  airport square terminal peninsula cape reef coast capital suburb borough parish site kingdom republic
  territory dam lighthouse palace castle tower building facility monument home field
organisation place: university college school academy polytechnic hospital clinic library museum gallery
  theatre church cathedral abbey stadium arena ground station observatory hotel prison factory plant
  shipyard market restaurant centre zoo farm mine pub mill embassy lodge
event: event cup tournament championship championships race regatta tour marathon festival war battle
  election conference summit match game final series ceremony concert trial inquiry games olympics derby
  rally referendum strike protest earthquake storm flood crash competition fair convention
organisation event: league division competition
award: prize medal award trophy scholarship title honour
work: work book novel film song album opera play poem painting report study paper podcast series
  newspaper magazine journal programme documentary law act treaty bill code charter agreement
product: product drug medicine vaccine device telescope satellite spacecraft probe rocket ship vessel
  boat ferry car aircraft plane train engine implant robot scanner camera phone computer software app
  game ball weapon tool instrument treatment therapy food drink material system service machine craft
  yacht submarine bicycle bike website gene protein molecule chemical comet asteroid planet star
  moon craft tanker freighter trawler steamer destroyer cruiser liner schooner frigate icebreaker
  minesweeper airliner
organism: organism animal fish bird insect plant species mammal reptile bacterium fungus tree
disease: disease virus infection syndrome disorder condition
group: group people tribe nation community
literal: number date letter order matter counter corner border winter summer shower tower paper sector
"""

_NAME_HEADS = """
company: inc ltd plc gmbh corp llc corporation industries shipping aerospace biologics pharmaceuticals
  pharma foods systems energy motors holdings technologies electronics sports company
airline: airlines airways airline air
brewery: brewery
factory: steelworks works
bank: bank
insurer: insurance
group: group
consortium: consortium
label: records
studio: studios
institute: institute
institution: institution
foundation: foundation
trust: trust
fund: fund
agency: agency administration
ministry: ministry
department: department
bureau: bureau
authority: authority
commission: commission
committee: committee
board: board
council: council
association: association
federation: federation
union: union
society: society
party: party
court: court
parliament: parliament
senate: senate
army: army
navy: navy
police force: police
orchestra: orchestra philharmonic
choir: choir
newspaper: times gazette tribune herald chronicle
club: club fc afc united rovers wanderers
league: league premiership
division: division
university: university
college: college
school: school
academy: academy
polytechnic: polytechnic
hospital: hospital infirmary
clinic: clinic
library: library
museum: museum
gallery: gallery
theatre: theatre theater
church: church
cathedral: cathedral
abbey: abbey
stadium: stadium dome
arena: arena
observatory: observatory
laboratory: laboratory
station: station
hotel: hotel
prison: prison
shipyard: shipyard
zoo: zoo
chamber: assembly
legislature: congress
centre: center centre
embassy: embassy
lodge: lodge
broadcaster: tv television broadcasting
airport: airport
terminal: terminal
river: river
lake: lake
sea: sea
ocean: ocean
bay: bay
gulf: gulf
strait: strait
canal: canal
mountain: mount
mountain range: mountains
valley: valley
desert: desert
forest: forest
park: park
street: street avenue
road: road
bridge: bridge
harbour: harbour harbor
island: isle island
peninsula: peninsula
reef: reef
cape: cape
province: province
region: region
county: county
country: republic kingdom
castle: castle
palace: palace
tower: tower
lighthouse: lighthouse
dam: dam
square: square
site: site
cup: cup
tournament: tournament
championship: championship championships
regatta: regatta
marathon: marathon
festival: festival
war: war
battle: battle
election: election
conference: conference
summit: summit
tour: tour
match: derby
event: olympics
race: prix
prize: prize
medal: medal
award: award
trophy: trophy
scholarship: scholarship
telescope: telescope
spacecraft: orbiter
satellite: satellite
vaccine: vaccine
vehicle: rover
law: act bill
agreement: agreement accord
convention: convention
fair: fair faire expo
treaty: treaty
disease: fever syndrome disease flu
virus: virus
animal: eel whale frog
insect: gnat moth beetle bee mosquito
fish: fish shark
bird: owl eagle gull
plant: orchid
tree: oak
comet: comet
asteroid: asteroid
"""

_FIRST_WORDS = """
river: river
lake: lake
mountain: mount
cape: cape
island: isle
ship: hms uss ss rv mv
person: mayor president minister dr mr mrs ms sir dame prof professor judge king queen prince princess
  pope saint captain
club: fc
comet: comet
storm: hurricane
operation: operation
"""

HYPERNYMS = {"comet": "celestial object", "asteroid": "celestial object"}
"""What is called by its own common noun alone ("the Comet"), and the wider noun that does not name it."""

_CHAMBERS = """
house of representatives; house of commons; house of lords; house of delegates; house of assembly;
house of councillors; national assembly; general assembly; bundestag; knesset; lok sabha; rajya sabha
"""

_NEWS_OUTLETS = """
ABC; AFP; AP; Al Jazeera; Associated Press; Agence France-Presse; BBC; BBC News; Bloomberg; CBC; CBS;
CNN; Channel 4; Deutsche Welle; Euronews; Financial Times; Fox News; ITV; MSNBC; NBC; NBC News; NPR;
Politico; Reuters; Sky News; The Guardian; The New York Times; The Times; The Washington Post; New York
Times; Washington Post; Guardian; Wall Street Journal; USA Today; Wikinews; Xinhua
"""

_TAKES_THE = """
board institute institution foundation trust fund agency ministry department bureau authority commission
committee council association federation union society party court parliament senate army navy police
orchestra philharmonic gazette tribune herald chronicle league division premiership library museum gallery
river sea ocean gulf strait canal mountains desert forest bridge isle peninsula republic kingdom cup
tournament championship championships regatta marathon festival war battle election conference summit tour
derby olympics prix prize medal award trophy scholarship telescope orbiter satellite act treaty consortium
club dome observatory stadium arena lighthouse dam infirmary polytechnic clinic agreement accord
administration center centre embassy assembly congress convention bill faire fair service
"""

_TAKES_THE_BEFORE_OF = """
university college school academy bank isle bay gulf cape city tour house republic kingdom battle ministry
department court museum church order port
"""

_MORE_PEOPLE = """
academic admiral aide ambassador architect aristocrat athlete author biologist bishop boxer brother
captain chair chairman chairwoman chancellor chef chemist chief coach colonel cook cousin critic cyclist
daughter dean defender director doctor economist editor engineer envoy expert father founder goalkeeper
governor guard gymnast head hero historian husband inventor jockey journalist judge king lawyer leader
lecturer magnate manager mayor member merchant midfielder minister monk mother musician nun nurse officer
official owner painter patient physician pilot playwright poet politician president priest prince
princess professor quarterback queen rector referee revolutionary rider rower runner sailor scientist
secretary senator singer sister socialite soldier son soprano spokesman spokeswoman spy striker student
surgeon swimmer teacher treasurer umpire veteran wife winger winner writer zoologist
"""


def _sorts() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for sorts, nouns in table(_SORTS):
        for noun in nouns:
            found[noun] = found.get(noun, frozenset()) | frozenset(sorts.split())
    return found


SORTS = _sorts()
"""What a noun counts as: a hospital is an organisation ("hired") and a place ("was treated at")."""

NAME_HEADS = {word: noun for noun, words in table(_NAME_HEADS) for word in words}
"""The last word of a name, or its last before "of", and the noun that it tells."""

FIRST_WORDS = {word: noun for noun, words in table(_FIRST_WORDS) for word in words}
"""The first word of a name and the noun that it tells."""

CHAMBERS = tuple(name.strip() for name in _CHAMBERS.split(";"))
"""Ends of the names of parliaments' chambers, in small letters."""

NEWS_OUTLETS = frozenset(name.strip() for name in _NEWS_OUTLETS.replace("\n", " ").split(";"))
"""Newspapers, agencies and broadcasters whose names tell nothing; they attend and interview as people do."""

TAKES_THE = frozenset(_TAKES_THE.split())
"""Last words of names that stand behind "the" when the name has two words or more."""

TAKES_THE_BEFORE_OF = frozenset(_TAKES_THE_BEFORE_OF.split())
"""First words of names of the form "X of Y" that stand behind "the"."""

MORE_PEOPLE = frozenset(_MORE_PEOPLE.split())
"""Common nouns for people."""

PERSON_ENDINGS = ("er", "or", "ist", "man", "woman", "ian")
"""Endings of common nouns for people, used only for nouns that no list has."""
