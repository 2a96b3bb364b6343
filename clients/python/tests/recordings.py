"""Plays the recorded conversations of clients/testdata as a server of docent.v1."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

FILES = sorted((Path(__file__).parents[2] / "testdata").glob("*.jsonl"))

PATIENCE = 60.0


class Player:
    """A server whose frames come from a recording."""

    def __init__(self, file: Path) -> None:
        self._lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        self._ids: dict[str, str] = {}
        self._sockets: asyncio.Queue[ServerConnection] = asyncio.Queue(100)
        self._server: Server | None = None
        self.url = ""

    async def __aenter__(self) -> Player:
        self._server = await serve(self._serve, "127.0.0.1", 0, subprotocols=[Subprotocol("docent.v1")])
        self.url = f"http://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, socket: ServerConnection) -> None:
        await self._sockets.put(socket)
        await socket.wait_closed()

    async def play(self, send: Callable[[str], None], text: Callable[[int, str], Awaitable[None]]) -> dict[str, Any]:
        """Play all lines, and return the expected end.

        `send` begins to send a message. `text` waits for the streamed text of a
        turn.
        """
        socket: ServerConnection | None = None
        for line in self._lines:
            match line:
                case {"connect": last}:
                    socket = await asyncio.wait_for(self._sockets.get(), PATIENCE)
                    hello = await self._read(socket)
                    assert hello["action"] == "hello"
                    assert (hello.get("message") or {}).get("last_seq") == last
                case {"server": frame}:
                    assert socket
                    await socket.send(self._filled(frame))
                case {"client": want}:
                    assert socket
                    got = await self._read(socket)
                    self._ids.setdefault(want["id"], got["id"])
                    assert {key: got[key] for key in want} == {**want, "id": self._ids[want["id"]]}
                case {"send": message}:
                    send(message)
                case {"text": [turn, want]}:
                    await text(turn, want)
                case {"cut": True}:
                    assert socket
                    socket.transport.abort()
                case {"close": code}:
                    assert socket
                    await socket.close(code)
                case {"end": end}:
                    result: dict[str, Any] = end
                    return result
        raise AssertionError("the recording has no end")

    async def _read(self, socket: ServerConnection) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        return frame

    def _filled(self, frame: dict[str, Any]) -> str:
        text = json.dumps(frame)
        for name, id in self._ids.items():
            text = text.replace(json.dumps(name), json.dumps(id))
        return text
