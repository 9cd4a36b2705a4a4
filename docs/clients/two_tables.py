"""Throw into the live towers of two tables, which `tower-sim serve --http` keeps, and tell the odds of the next."""

import json
import secrets
import sys
import urllib.request

service = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8484"


def ask(path, body=None):
    """Send a request, with a new key; a request without a body gets what is there."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(16)}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(service + path, data, headers)) as answer:
        return json.load(answer)


towers = {name: ask("/v1/towers", {"apparatus": "amerigo", "model": "surrogate"}) for name in ("window", "stove")}
for cubes in ({"blue": 8, "red": 8}, {"blue": 4}):
    for name, tower in towers.items():
        drop = ask(f"/v1/towers/{tower['table']}/drops", {"cubes": cubes})  # the table's identifier: it shows no state
        print(f"{name}: out {drop['emerged']}, inside {drop['inside']}")
for name, tower in towers.items():
    state = ask(f"/v1/towers/{tower['id']}")["state"]  # the program's identifier
    odds = ask("/v1/odds", {"model": "surrogate", "state": state, "throws": [{"red": 2}, {"red": 4}]})["throws"]
    print(
        f"{name}: 2 red bring {odds[0]['out']['value']:.1f} cubes out on average, 4 red {odds[1]['out']['value']:.1f}"
    )
