"""A tower fitted to what was observed of it, and how sure that is; whether recorded drops are those of a profile."""
