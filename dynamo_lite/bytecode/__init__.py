"""Reading, analysing and assembling CPython bytecode."""
