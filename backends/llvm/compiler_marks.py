"""What the text of a module asks of the compiler."""
REGISTERS = "; registers"
"""First line of a module whose variables on the stack are to be kept in registers."""
