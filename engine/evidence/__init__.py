"""What stands on the compiled line: asking it, telling why, measuring it."""
