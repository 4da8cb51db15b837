"""A standard for judged comparisons: a protocol written down before the run, and what came of it."""
