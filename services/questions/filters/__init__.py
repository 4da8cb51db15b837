"""The filters that a question must pass to be kept: each has a name, one job, and a reason for a failure."""
