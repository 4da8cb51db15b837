"""Eight short articles from an invented valley, whose hop paths are known by design.

The chain "orla" runs through six articles and every length from two to five hops; "Sennet Harbour Hospital"
is joined to "SHH" by an exact equivalence, and "Orla Venning" to "Venning" by context. One fact stands in
two articles.
"""

import json
from pathlib import Path

ARTICLES: dict[str, str] = {
    "rovers": (
        "Mira Tolland plays for the Ostby Rovers. The crowd likes her left foot and her short temper. "
        "Tolland was born in Kaldmere. Nobody on the terraces cared about the rain on that Saturday, and "
        "the band played until the lamps went out over the empty stand."
    ),
    "owner": (
        "The Ostby Rovers are owned by Halden Shipping. The ships lay idle for a winter, so a club was "
        "something to do. The office cat sleeps on the minutes of the board, and nobody dares to move it. "
        "Some supporters grumble about the price of soup."
    ),
    "founder": (
        "Halden Shipping was founded by Greta Lindqvist. She began with one tug and a borrowed rope. "
        "The rope still hangs over the door of the counting room, grey with salt, and visitors touch it for "
        "luck when they think that nobody looks."
    ),
    "teacher": (
        "Greta Lindqvist studied at Verrin University. The lecture rooms were cold, and students wrote with "
        "their gloves on. Old letters tell of long walks by the canal, of bad coffee and of a fiddle that "
        "was always out of tune."
    ),
    "school": (
        "Verrin University was designed by Anton Brask. Verrin University was founded in 1412. The tower leans "
        "a little to the west. Pigeons like the ledge below the clock, and every spring a ladder is carried up "
        "to it, and every spring the ladder turns out to be too short."
    ),
    "board": (
        "Orla Venning directs the Norholm Health Board (NHB). Her garden is known for its pears. The wards "
        "look out over the water, and gulls steal bread from the sills. Halden Shipping was founded by Greta "
        "Lindqvist. Nobody remembers why a brass plate beside the door says so."
    ),
    "history": (
        "The NHB was founded by Otto Pelham. He kept the plans in a barn, and the barn kept its owls. Anton "
        "Brask never worked for Halden Shipping. It took nine summers to find enough bricks."
    ),
    "prize": (
        "The Corrin Medal was awarded to Venning. The ceremony took place in a tent, because the hall had no "
        "roof. Wind took two of the hats, and a dog brought one of them back before the speeches were over."
    ),
}


def write_articles(folder: Path, names: tuple[str, ...] = tuple(ARTICLES)) -> Path:
    """Some of the articles as a file that Hopgrade reads."""
    path = folder / f"{'-'.join(names)[:60]}.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": name, "title": name.capitalize(), "body": ARTICLES[name]}) + "\n" for name in names
        ),
        encoding="utf-8",
    )
    return path
