"""What connections carry, written as captures that every tool reads."""
