"""Talks to an agent over BAF's WebSocket and waits for a reply. Run .ci/baf-clients.

python check.py NAME URL MESSAGE REPLY
"""

import json
import sys

import websocket

name, url, message, want = sys.argv[1:]
ws = websocket.create_connection(url, timeout=60)
ws.send(json.dumps({"action": "user_message", "message": message}))
heard = []
try:
    while want not in heard:
        frame = json.loads(ws.recv())
        heard.append(frame["message"])
except websocket.WebSocketException as error:
    raise SystemExit(f"FAIL {name}: {error!r}, heard {heard}")
ws.close()
print("ok  ", name)
