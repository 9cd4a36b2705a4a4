"""A table that keeps its tower in its own database. A throw is written there before it is asked for, so none is lost.

python docs/clients/table.py TABLE.db blue=4,red=2 [http://127.0.0.1:8484 ...]
"""

import json
import secrets
import sqlite3
import sys
import urllib.error
import urllib.request

file, text, *servers = sys.argv[1:]
cubes = {colour: int(number) for colour, number in (pair.split("=") for pair in text.split(","))}
table = sqlite3.connect(file)
table.execute("CREATE TABLE IF NOT EXISTS throws (number INTEGER PRIMARY KEY, cubes, seed, state, answer)")


def ask(request):
    """Ask one server after the other: the same request, which has a seed, gets the same answer from each."""
    for server in servers or ["http://127.0.0.1:8484"]:
        headers, body = {"Content-Type": "application/json"}, json.dumps(request).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{server}/v1/drops", body, headers)) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code < 500:  # this cannot be thrown: forget it
                with table:
                    table.execute("DELETE FROM throws WHERE answer IS NULL")
                sys.exit(json.load(error)["detail"])
        except OSError:
            pass  # ask the next server
    sys.exit("No server answers. The throw is kept: run this again.")


last = table.execute("SELECT state, answer FROM throws ORDER BY number DESC LIMIT 1").fetchone()
if last is None or last[1] is not None:  # the throw before it is done, so begin another
    before = last and json.loads(last[1])["state"]
    row = (json.dumps(cubes), str(secrets.randbits(128)), before)
    with table:
        table.execute("INSERT INTO throws (cubes, seed, state) VALUES (?, ?, ?)", row)
number, cubes, seed, state = table.execute(
    "SELECT number, cubes, seed, state FROM throws WHERE answer IS NULL"
).fetchone()
answer = ask({"cubes": json.loads(cubes), "seed": seed, "state": state, "model": "surrogate"})
with table:
    table.execute("UPDATE throws SET answer = ? WHERE number = ?", (json.dumps(answer), number))
print(f"throw {number}: out {json.dumps(answer['emerged'])}, inside {json.dumps(answer['inside'])}; thrown {cubes}")
