"""A conversation for programs without asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from .conversation import AsyncConversation
from .errors import CanceledError, UnavailableError
from .events import Event, Reply, Stored

T = TypeVar("T")


class Conversation:
    """A session of docent.v1, with the methods of AsyncConversation.

    Use it with `with`. Its connection runs in a thread of its own, so any thread may
    call its methods.
    """

    def __init__(self, url: str, **options: Any) -> None:
        """Prepare a conversation. The options are those of AsyncConversation."""
        self._make: Callable[[], AsyncConversation] = lambda: AsyncConversation(url, **options)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._inner: AsyncConversation | None = None

    def __enter__(self) -> Conversation:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Connect. It raises the error of the first attempt, and later ones are repeated."""
        if self._inner:
            if self._loop is None:
                raise CanceledError("the conversation was closed")
            return
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="docent-conversation", daemon=True)
        self._thread.start()

        async def make() -> AsyncConversation:
            return self._make()

        try:
            self._inner = self._wait(make())
            self._wait(self._inner.open())
        except BaseException:
            self.close()
            self._inner = None  # open may be called again
            raise

    def close(self) -> None:
        """Close the connection. Waiting calls fail, and stored messages remain."""
        if self._loop is None or self._thread is None:
            return
        try:
            if self._inner:
                self._wait(self._inner.close())
            self._wait(self._loop.shutdown_asyncgens())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None

    @property
    def session_id(self) -> str:
        """The id of the session; empty before the server has created it."""
        return self._inner.session_id if self._inner else ""

    @property
    def last_seq(self) -> int:
        """The number of the last stored entry that was added to the events."""
        return self._inner.last_seq if self._inner else 0

    def ask(self, message: Any, *, id: str | None = None) -> Reply:
        """Send a message, and return the replies when the turn has ended."""
        return self._wait(self._open.ask(message, id=id))

    def stream(self, message: Any, *, id: str | None = None) -> Iterator[Event]:
        """Send a message, and yield the events of its turn."""
        return self._each(self._open.stream(message, id=id))

    def events(self) -> Iterator[Event]:
        """Yield the events from `open` on: each stored entry once and in order."""
        return self._each(self._open.events())

    def send(self, message: Any, *, id: str | None = None) -> Stored:
        """Send a message, and return when it is stored."""
        return self._wait(self._open.send(message, id=id))

    def send_file(self, name: str, content: bytes, type: str = "file", *, id: str | None = None) -> Stored:
        """Send a file to the agent, like `send`."""
        return self._wait(self._open.send_file(name, content, type, id=id))

    def send_voice(self, recording: bytes, *, id: str | None = None) -> Stored:
        """Send an audio file, like `send`. docent transcribes it."""
        return self._wait(self._open.send_voice(recording, id=id))

    def edit(self, turn: int, message: Any, *, id: str | None = None) -> Stored:
        """Replace the message of a turn. That turn and later ones are removed."""
        return self._wait(self._open.edit(turn, message, id=id))

    def regenerate(self, turn: int, *, id: str | None = None) -> Stored:
        """Request a new answer to the message of a turn."""
        return self._wait(self._open.regenerate(turn, id=id))

    def stop(self, turn: int | None = None) -> None:
        """Stop a turn, by default the running one. Without a connection, do nothing."""
        self._wait(self._open.stop(turn))

    def show(self, turn: int) -> None:
        """Show a version of a question, and the messages that followed it."""
        self._wait(self._open.show(turn))

    def feedback(
        self,
        turn: int | None = None,
        *,
        rating: int | None = None,
        reason: str | None = None,
        comment: str | None = None,
    ) -> int:
        """Rate a turn from -100 to 100, by default the last one. Return its number."""
        return self._wait(self._open.feedback(turn, rating=rating, reason=reason, comment=comment))

    def set_variables(self, variables: dict[str, Any]) -> None:
        """Store variables of the session."""
        self._wait(self._open.set_variables(variables))

    def reset(self) -> None:
        """Delete all messages of the session."""
        self._wait(self._open.reset())

    @property
    def _open(self) -> AsyncConversation:
        if self._inner is None or self._loop is None:
            raise UnavailableError("the conversation is not open")
        return self._inner

    def _wait(self, work: Awaitable[T]) -> T:
        assert self._loop is not None

        async def run() -> T:
            return await work

        future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # of an interrupted wait
            raise

    def _each(self, events: AsyncIterator[Event]) -> Iterator[Event]:
        async def advance() -> Event | None:
            return await anext(events, None)

        async def end() -> None:
            close = getattr(events, "aclose", None)
            if close:
                await close()

        try:
            while (event := self._wait(advance())) is not None:
                yield event
        finally:
            if self._loop is not None:
                self._wait(end())
