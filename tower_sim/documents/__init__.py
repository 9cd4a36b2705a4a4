"""Documents: typed values that are read and written as TOML and JSON, and the answers that programs get."""
