"""Measure what the documents say. Nothing here is installed; run it from the root of a checkout."""
