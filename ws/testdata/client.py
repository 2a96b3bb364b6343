"""A client as BAF's Streamlit UI is one, on websocket-client: prints what it
gets until the answer to its question is there."""
import json
import sys

import websocket


def send(ws, action, message):
    ws.send(json.dumps({"action": action, "message": message, "history": False, "timestamp": None}))


def on_open(ws):
    send(ws, "fetch_user_messages", None)
    send(ws, "user_set_variable", {"user_profile": "Ada"})
    send(ws, "user_message", "H\u00e9llo \U0001f600")


def on_message(ws, text):
    print(text)
    if json.loads(text)["message"] == "H\u00e9llo \U0001f600":
        ws.close()


def on_error(ws, error):
    print("error:", error)


websocket.WebSocketApp(
    sys.argv[1], header={"X-User-ID": "ada"}, on_open=on_open, on_message=on_message, on_error=on_error
).run_forever()
