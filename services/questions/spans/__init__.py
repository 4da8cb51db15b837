"""Which clusters the evidence of questions lies in, and how many borders between them it crosses."""
