"""Guards: when a capture may be reused."""
