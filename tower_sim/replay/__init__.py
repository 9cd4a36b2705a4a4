"""Replays: what drops looked like, as a page or a scene that opens anywhere."""
