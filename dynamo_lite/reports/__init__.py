"""Reports that people look at: what was compiled as an HTML page, what calls cost."""
