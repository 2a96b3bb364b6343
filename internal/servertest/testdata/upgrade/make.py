"""Writes dumps of the data that an old docent keeps: make.py PROGRAM VERSION DATABASE_URL

PROGRAM is the old docent, VERSION the version of its schema, and DATABASE_URL an empty database of
PostgreSQL. The dumps are put beside this file. It needs the package websockets, and pg_dump.
"""

import asyncio
import gzip
import json
import pathlib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import websockets

HERE = pathlib.Path(__file__).parent
QUESTIONS = ["hello", "My guest network stops every day. Why?", "how many days of leave do I get?"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


async def converse(port):
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws?session_id=fixture", subprotocols=["docent.v1"]) as w:
        await w.send(json.dumps({"action": "hello", "message": {"session_id": "fixture"}}))
        for i, question in enumerate(QUESTIONS):
            await w.send(json.dumps({"action": "user_message", "message": question, "id": f"m{i}"}))
            end = "agent_reply_rag" if i else "agent_reply_str"
            acknowledged = False
            while True:
                action = json.loads(await asyncio.wait_for(w.recv(), 60))["action"]
                acknowledged = acknowledged or action == "ack"
                if acknowledged and action == end:
                    break


def fill(program, version, arguments):
    def run(*command, text=None):
        subprocess.run([program, *command, *arguments], input=text, text=True, check=True)

    run("ingest", str(HERE / "docs"))
    run("user", "create", "ann", "--password-stdin", "--scopes", "admin", text="correct horse battery\n")
    run("token", "create", "--name", "robot", "--user", "ann")
    if version >= 10:
        run("group", "add", "staff")
        run("group", "join", "staff", "ann")
        run("collection", "grant", "default", "group:staff", "read")
    port = free_port()
    server = subprocess.Popen([program, "serve", "--addr", f"127.0.0.1:{port}", *arguments])
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health")
            break
        except OSError:
            time.sleep(0.1)
    asyncio.run(converse(port))
    server.terminate()
    server.wait()


def write(name, lines):
    # psql's own commands begin with a backslash.
    text = "\n".join(line for line in lines if not line.startswith("\\")) + "\n"
    with gzip.GzipFile(HERE / name, "wb", mtime=0) as f:
        f.write(text.encode())


def main(program, version, url):
    with tempfile.TemporaryDirectory() as data:
        fill(program, version, ["--data", data])
        write(f"sqlite-{version:02}.sql.gz", sqlite3.connect(pathlib.Path(data, "docent.db")).iterdump())
    with tempfile.TemporaryDirectory() as data:
        fill(program, version, ["--data", data, "--database-url", url])
        dump = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", url]
        write(f"postgres-{version:02}.sql.gz", subprocess.run(dump, capture_output=True, text=True, check=True).stdout.splitlines())


main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
