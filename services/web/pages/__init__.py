"""The web page: what an analyst looks at, written on the server, without a build step or a network."""
