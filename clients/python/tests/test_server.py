"""The clients with a real docent. `.ci/python-client` starts it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from docent_client import (
    Answer,
    AsyncDocent,
    CanceledError,
    Delta,
    Docent,
    DocentError,
    Entry,
    ForbiddenError,
    InternalError,
    InvalidError,
    NotFoundError,
    Piece,
    SessionReset,
    Turn,
    TurnFinished,
    UnauthorizedError,
    UnavailableError,
    _http,
)

URL, TOKEN, ASK_TOKEN = os.environ["ADDRESS"], os.environ["INGEST_TOKEN"], os.environ["TOKEN"]
QUESTION = "When does the pump stop?"


def test_ask() -> None:
    with Docent(URL, TOKEN) as docent:
        answer = docent.ask(QUESTION, k=3, collections=["default"])
        assert "noon" in answer.text and not answer.abstained
        assert answer.passages[answer.sentences[0].docs[0] - 1].source.endswith("pump.md")
        *pieces, last = docent.stream(QUESTION)
        assert isinstance(last, Answer) and last.text == answer.text
        assert "".join(p.text for p in pieces if isinstance(p, Piece)) == answer.text
        follow = docent.ask(
            "And how much water does it move?", history=[Turn("user", QUESTION), Turn("assistant", answer.text)]
        )
        assert "30 litres" in follow.text


def test_documents() -> None:
    with Docent(URL, TOKEN) as docent:
        path = Path(__file__)
        done, failed = docent.ingest(
            ("valve.md", b"# Valve\n\nThe valve opens at six."), ("a.zip", b"PK\x03\x04"), collection="valves"
        )
        assert (done.status, done.chunks, done.failed) == ("added", 1, False)
        assert failed.failed and failed.reason
        assert docent.ingest(path, collection="valves")[0].source == "upload:test_server.py"
        found = docent.search("When does the valve open?", k=1, collections=["valves"])
        assert [p.content for p in found.passages] == ["The valve opens at six."]
        assert {c.name for c in docent.collections()} >= {"default", "valves"}
        listed = list(docent.documents(collection="valves", status="ready"))
        assert {d.source for d in listed} == {"upload:valve.md", "upload:test_server.py"}
        assert docent.delete(*(d.id for d in listed)) == 2
        assert list(docent.documents(collection="valves", status="ready")) == []


def test_errors() -> None:
    with Docent(URL, TOKEN) as docent:
        with pytest.raises(InvalidError) as invalid:
            docent.ask("")
        assert invalid.value.id == "request_invalid" and not invalid.value.retryable
        with pytest.raises(NotFoundError) as missing:
            list(docent.stream(QUESTION, collections=["none"]))
        assert (missing.value.id, missing.value.params[0]) == ("no_collection_of", "none")
    with Docent(URL, ASK_TOKEN) as reader, pytest.raises(ForbiddenError):
        reader.ingest(("a.md", b"a"))
    with Docent(URL, "wrong") as stranger:
        with pytest.raises(UnauthorizedError):
            stranger.collections()
        with pytest.raises(UnauthorizedError) as unknown, stranger.conversation():
            pass
        assert unknown.value.id == "token_unknown"
    with Docent("http://127.0.0.1:1") as nobody:
        with pytest.raises(UnavailableError) as silent:
            nobody.collections()
        assert silent.value.retryable
        with pytest.raises(UnavailableError), nobody.conversation():
            pass


class Stranger(BaseHTTPRequestHandler):
    """Answers each request with an empty object."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_other_servers() -> None:
    server = HTTPServer(("127.0.0.1", 0), Stranger)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        with Docent(f"http://127.0.0.1:{server.server_port}") as docent:
            calls: list[Callable[[], object]] = [
                lambda: list(docent.documents()),
                lambda: docent.ingest(("a.md", b"a")),
                lambda: docent.delete(1),
            ]
            for call in calls:
                with pytest.raises(InternalError):
                    call()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    with pytest.raises(InternalError):
        _events("phase", "{}")


def _events(name: str, data: str) -> list[object]:
    events = _http.Events()
    return [e for line in (f"event: {name}", f"data: {data}", "") for e in events.feed(line)]


def test_requests_that_cannot_be_sent() -> None:
    calls: list[Callable[[], object]] = [
        lambda: Docent("http://[::bad").ask("x"),
        lambda: Docent("127.0.0.1:8765").ask("x"),
        lambda: Docent(URL, "a\nb").ask("x"),
        lambda: Docent(URL, "tök").ask("x"),
        lambda: Docent(URL, TOKEN).ask("\ud800"),
    ]
    for call in calls:
        with pytest.raises(InvalidError):
            call()
    docent = Docent(URL, TOKEN)
    docent.close()
    with pytest.raises(InvalidError):
        docent.ask("x")
    with pytest.raises(InvalidError):
        list(docent.stream("x"))
    with pytest.raises(OSError):
        Docent(URL, TOKEN).ingest("/nonexistent")


def test_closed_conversation() -> None:
    with Docent(URL, TOKEN) as docent, docent.conversation() as chat:
        pass
    with pytest.raises(CanceledError):
        chat.open()

    async def again() -> None:
        async with AsyncDocent(URL, TOKEN) as docent:
            async with docent.conversation() as chat:
                pass
            with pytest.raises(CanceledError):
                await chat.open()

    asyncio.run(again())


def test_conversation() -> None:
    with Docent(URL, TOKEN) as docent, docent.conversation() as chat:
        reply = chat.ask(QUESTION)
        assert reply.outcome == "done" and "noon" in reply.text
        assert reply.answer and reply.answer.passages
        events = list(chat.stream({"message": QUESTION, "collections": ["default"]}))
        text = "".join(e.text for e in events if isinstance(e, Delta))
        assert text == [e for e in events if isinstance(e, Entry)][-1].text
        assert chat.feedback(2, rating=100) == 2
        stored = chat.regenerate(2, id="again")
        assert (stored.turn, stored.duplicate) == (3, False)
        assert chat.regenerate(2, id="again").duplicate
        entries = []
        for event in chat.events():
            if isinstance(event, Entry) and event.seq:
                entries.append(event)
            if isinstance(event, TurnFinished) and event.turn == 3:
                break
        assert [e.seq for e in entries] == [1, 2, 3, 4, 5, 6, 7]
        with docent.conversation(chat.session_id, last_seq=5) as other:
            later = [next(e for e in other.events() if isinstance(e, Entry)) for _ in range(2)]
            assert [e.seq for e in later] == [6, 7] and later[1].text == entries[6].text
        chat.reset()
        assert any(isinstance(e, SessionReset) for e in chat.events())
    with pytest.raises(DocentError):
        chat.ask(QUESTION)


def test_async() -> None:
    async def main() -> None:
        async with AsyncDocent(URL, TOKEN) as docent:
            assert "noon" in (await docent.ask(QUESTION)).text
            events = [event async for event in docent.stream(QUESTION)]
            assert isinstance(events[-1], Answer)
            assert (await docent.search(QUESTION)).passages
            (one,) = await docent.ingest(("async.md", b"# Fan\n\nThe fan turns left."), collection="fans")
            assert [d.id async for d in docent.documents(collection="fans")] == [one.document_id]
            assert await docent.delete(one.document_id or 0) == 1
            assert await docent.collections()
            async with docent.conversation() as chat:
                replies = await asyncio.gather(chat.ask(QUESTION), chat.ask("How much water does it move?"))
                assert "noon" in replies[0].text and "30 litres" in replies[1].text

    asyncio.run(main())


def test_readme(capfd: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    code = re.findall(r"^```python\n(.*?)^```", readme, re.M | re.S)[0]
    code = code.replace("http://127.0.0.1:8765", URL).replace("TOKEN", TOKEN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("noon") == 2
