"""The results of a judged comparison for people and programs: page, LaTeX, Markdown, JSON, plain text."""
