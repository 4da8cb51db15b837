"""Who says of an answer whether it is right and whether its evidence was shown, and how far to trust that."""
