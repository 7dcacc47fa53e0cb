"""Whole-script mode: running unchanged programs and finding what in them to compile."""
