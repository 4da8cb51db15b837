"""Statistics of judged answers; one partition of the questions into clusters feeds every clustered figure."""
