"""How far a judge can be trusted: what he says of answers whose quality is known, being made so."""
