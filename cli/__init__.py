"""The `kg` command: one file a command group."""
