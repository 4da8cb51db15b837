"""What takes how long, how much memory it takes, and how that grows: `python -m benchmarks`."""
