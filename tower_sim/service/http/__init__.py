"""The service on the network: the requests of the command line over HTTP, towers kept, every answer stored first.

    request -> limits and token -> fields checked -> drawn (here or by a worker) -> stored -> answered

READ FIRST: app.py has the routes, keys.py what happens once for each Idempotency-Key, store.py the one file.
"""
