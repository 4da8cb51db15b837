"""Gold items of prompts, what a model makes of them, and whether that is good enough to spend on a job."""
