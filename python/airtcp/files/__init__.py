"""Where results are written: whole or not at all, and nothing replaced unasked."""
