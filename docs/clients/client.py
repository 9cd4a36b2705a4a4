"""Throw cubes through `tower-sim serve`; what stays inside is carried on to the next throw."""

import json
import subprocess
import sys

command = sys.argv[1:] or ["tower-sim"]
pipe = subprocess.PIPE
try:
    tower = subprocess.Popen([*command, "serve"], stdin=pipe, stdout=pipe, encoding="utf-8")
except OSError as error:
    raise SystemExit(f"{command[0]} cannot be started ({error.strerror}): say how, client.py COMMAND ...") from None


def ask(**request):
    """Send one request, return its reply."""
    try:
        print(json.dumps(request), file=tower.stdin, flush=True)
        reply = json.loads(tower.stdout.readline())
    except (BrokenPipeError, ValueError):
        raise SystemExit(f"{command[0]} gave no answer: it has ended with {tower.wait()}") from None
    if "error" in reply:
        raise SystemExit(reply["error"])
    return reply


state = None
for turn, cubes in enumerate([{"blue": 8, "red": 8}, {"blue": 4}, {"red": 2}]):
    reply = ask(id=turn, do="drop", cubes=cubes, state=state, seed=str(turn))
    state = reply["state"]
    print("out:", json.dumps(reply["emerged"]), "inside:", json.dumps(reply["inside"]))
tower.stdin.close()
tower.wait()
