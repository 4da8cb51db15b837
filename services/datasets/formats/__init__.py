"""One module for each format that a dataset is exported in."""
