"""Names of corpora that are the same in each session.

Ids of questions and paths come from the name of their corpus, and what is sampled is ordered by them. Names
by chance would make each such test a draw without a seed.
"""

import os
from collections import Counter
from hashlib import sha256
from typing import Literal
from uuid import uuid4

_given: Counter[tuple[str, str]] = Counter()
_session = uuid4().hex if os.environ.get("NEO4J_URI") else ""
"""On somebody's own server lies what other sessions left; names of this one are its own there."""


def unique_name(prefix: str, of: Literal["test", "module", "session"] = "test") -> str:
    """A name that nothing else of this session has: from the test that runs, and which one it is there.

    What a module or a worker's session shares is named by these instead: which test comes first is chance.
    """
    worker, test = (os.environ.get(f"PYTEST_{name}", "") for name in ("XDIST_WORKER", "CURRENT_TEST"))
    about = {"test": test.rpartition(" ")[0], "module": test.partition("::")[0], "session": worker}[of]
    _given[prefix, about] += 1
    parts = f"{_session}|{of}|{about}|{_given[prefix, about]}"
    return f"{prefix}-{sha256(parts.encode()).hexdigest()[:12]}"
