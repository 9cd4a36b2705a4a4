"""Replays: what drops looked like, as a page that opens anywhere."""
