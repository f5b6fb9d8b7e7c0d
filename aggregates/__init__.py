"""The rules: pure decisions over events. No clock, no dice thrown, no terminal, no file but its own tables."""
