"""The service over HTTP: the command line's requests, and towers that are kept.

    request -> limits and token -> fields checked -> drawn (here or by a worker) -> stored -> answered

app.py has the routes, keys.py answers each Idempotency-Key once, store.py is the database file.
"""
