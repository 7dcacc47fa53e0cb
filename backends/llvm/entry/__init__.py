"""The native entry of a graph: allocation, launches, products, calls and control flow."""
