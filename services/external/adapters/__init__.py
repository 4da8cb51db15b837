"""Objects of other libraries, as systems of one's own."""
