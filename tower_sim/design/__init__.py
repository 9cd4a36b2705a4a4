"""Towers by design: the numbers that a designer chooses, and what they do to the cubes."""
