"""Code that was entered in IPython or a notebook, by the cell that it stands in."""
from __future__ import annotations

import re
import sys

ENTERED = re.compile(r"<ipython-input-(\d+)-\w+>")
"""File names of code that is entered in a terminal."""
IN_KERNEL = re.compile(r"ipykernel_\d+")
"""Folders of what kernels run; which cell that was, IPython knows."""


def cell_of(filename: str) -> str | None:
    """`In[3]`, or None for a file."""
    if entered := ENTERED.search(filename):
        return f"In[{entered[1]}]"
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not IN_KERNEL.search(filename):
        return None
    named = shell.compile.format_code_name(filename)
    return str(named[1]) if named is not None else None
