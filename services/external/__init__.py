"""Systems of one's own: what is outside, brought through the same runs as what is inside."""
