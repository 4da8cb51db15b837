"""How answers are judged and what the verdicts say: measures, intervals, the difficulty matrix."""
