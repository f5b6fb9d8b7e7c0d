"""The book: stored lines, their tree, and what reads and writes them. Knows no game."""
