"""The forms of question files, a family a module: from a row's cells to a question."""
