"""Variable trackers: what the translator knows about each Python value."""
