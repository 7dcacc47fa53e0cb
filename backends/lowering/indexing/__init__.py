"""Parts of arrays, and arrays made of parts: views, masks, positions, joins."""
