"""Who says of an answer whether it is right and whether its evidence was shown: rules, or a model."""
