"""Launch plans: programs as one Python function that allocates, launches and calls."""
