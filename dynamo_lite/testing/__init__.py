"""For tests of programs that use dynamo_lite: a plugin of pytest."""
