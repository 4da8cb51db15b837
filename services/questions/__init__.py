"""Questions made from hop paths, and how hard they are."""
