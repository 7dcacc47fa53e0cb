"""The native core."""
