"""What the rows of a judged comparison show: figures that depend on the rows and the protocol alone."""
