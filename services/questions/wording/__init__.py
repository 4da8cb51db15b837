"""From facts to English questions, by rules."""
