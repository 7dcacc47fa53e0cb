"""Arrays and inputs that are changed: in their own memory, before the commit or after it."""
