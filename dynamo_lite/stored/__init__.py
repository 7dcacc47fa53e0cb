"""Entries on disk: a second process reuses a capture without tracing its function again."""
