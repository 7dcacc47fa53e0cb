"""The rows of `ir.ops.ROWS`, by topic."""
