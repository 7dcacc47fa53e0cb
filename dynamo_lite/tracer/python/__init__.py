"""Python's operators, comparisons, subscripts and iteration over any tracker."""
