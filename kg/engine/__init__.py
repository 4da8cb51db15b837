"""Where independent work is done: in processes of this machine, or on a Ray cluster."""
