"""The service over HTTP: the command line's requests, and towers that are kept.

    request -> limits and token -> fields checked -> drawn (here or by a worker) -> stored -> answered

Every answer is stored before it is sent, except chances. READ FIRST: app.py has the routes, keys.py answers each
Idempotency-Key once, store.py is the database file.
"""
