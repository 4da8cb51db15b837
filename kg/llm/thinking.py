"""What a reasoning model writes before its answer, taken away."""

import re

_TAGS = "think|thinking|reasoning"
_BLOCK = re.compile(rf"<({_TAGS})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END = re.compile(rf"</(?:{_TAGS})>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The answer alone: "<think>Hm.</think> Yes." gives "Yes.".

    A block that is never closed reaches to the end. Some servers open the block in the prompt, so that only
    its end is in the answer: everything before that goes too.
    """
    kept = _BLOCK.sub("", text)
    ends = list(_END.finditer(kept))
    return (kept[ends[-1].end() :] if ends else kept).strip()
