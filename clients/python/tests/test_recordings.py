"""The conversations of clients/testdata, which the clients for Go and TypeScript play, too."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from recordings import FILES, PATIENCE, Player

from docent_client import (
    AsyncConversation,
    Connected,
    Delta,
    DocentError,
    Entry,
    SessionReset,
    Snapshot,
    Stored,
)


class Reader:
    """The conversation that the events describe."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.texts: dict[int, str] = {}
        self._changed = asyncio.Condition()

    async def read(self, chat: AsyncConversation) -> None:
        with contextlib.suppress(DocentError):
            async for event in chat.events():
                async with self._changed:
                    match event:
                        case Entry(seq=seq) if seq:
                            self.entries.append(event)
                        case SessionReset(seq=seq):
                            self.entries = [e for e in self.entries if e.seq > seq]
                        case Connected():
                            self.texts.clear()
                        case Snapshot():
                            self.texts[event.turn] = event.text
                        case Delta():
                            self.texts[event.turn] = self.texts.get(event.turn, "") + event.text
                    self._changed.notify_all()

    def had(self) -> list[list[Any]]:
        return [[e.seq, e.turn, e.text] for e in self.entries]

    async def until_text(self, turn: int, text: str) -> None:
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(lambda: self.texts.get(turn) == text), PATIENCE)

    async def until_seq(self, seq: int) -> None:
        async with self._changed:
            done = self._changed.wait_for(lambda: bool(self.entries) and self.entries[-1].seq == seq)
            await asyncio.wait_for(done, PATIENCE)


async def outcome(send: asyncio.Task[Stored]) -> Any:
    try:
        stored = await asyncio.wait_for(send, PATIENCE)
    except DocentError as err:
        return err.code
    return {"seq": stored.seq, "turn": stored.turn}


async def check(file: Path) -> None:
    async with Player(file) as server:
        chat = AsyncConversation(server.url, backoff=(0.001, 0.005), timeout=PATIENCE)
        reader, sends = Reader(), list[asyncio.Task[Stored]]()
        opened = asyncio.create_task(chat.open())
        reading: list[asyncio.Task[None]] = []

        async def send(message: str) -> Stored:
            await opened
            return await chat.send(message)

        async def streamed(turn: int, want: str) -> None:
            await reader.until_text(turn, want)

        async def begin() -> None:
            await opened
            reading.append(asyncio.create_task(reader.read(chat)))

        begun = asyncio.create_task(begin())
        try:
            end = await server.play(lambda m: sends.append(asyncio.create_task(send(m))), streamed)
            await begun
            assert [await outcome(s) for s in sends] == end["sends"]
            await reader.until_seq(end["entries"][-1][0])
            assert reader.had() == end["entries"]
        finally:
            await chat.close()
            await asyncio.gather(*reading)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_recording(file: Path) -> None:
    asyncio.run(check(file))


def test_recordings_exist() -> None:
    assert len(FILES) >= 11
