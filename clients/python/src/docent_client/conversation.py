"""A conversation over the WebSocket protocol docent.v1."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from . import _http
from ._session import Gap, Request, Session, Until, Watch
from .errors import (
    CanceledError,
    ConflictError,
    DocentError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnauthorizedError,
    UnavailableError,
    from_status,
)
from .events import Disconnected, Event, Reply, Stored

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

PROTOCOL = Subprotocol("docent.v1")

MAX_FRAME = 64 << 20
"""The maximum size of a received frame, in bytes."""

MAX_FAST_TRIES = 5
"""After this number of failed attempts, the delay is the longest."""


def stays(code: int) -> bool:
    """Report whether a close code forbids to reconnect."""
    return code in (1000, 1008, 1009) or 4500 <= code < 4600


def closed_with(code: int) -> DocentError:
    """Return the error for a close code if the server sent none."""
    if code == 1009:
        return ConflictError("the server ended the session because a frame was too large")
    if code == 4501:
        return NotFoundError("the session was deleted")
    if code == 4502:
        return UnauthorizedError("the token is missing, wrong, or expired")
    if code in (1008, 4503):
        return ForbiddenError("the token does not allow this")
    return ConflictError(f"the server ended the session with the code {code}")


class _Lost(Exception):
    """The connection ended. If final, the session ends too."""

    def __init__(self, error: DocentError, *, final: bool = False, code: int = 0) -> None:
        super().__init__(error.message)
        self.error = error
        self.final = final
        self.code = code


class AsyncConversation:
    """A session of docent.v1.

    It reconnects by itself. It delivers each stored entry once and in order, and
    sends each message exactly once. Use it with `async with`.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        session_id: str | None = None,
        last_seq: int | None = None,
        backoff: tuple[float, float] = (0.5, 15),
        timeout: float = 10,
        queue_bytes: int = 8 << 20,
    ) -> None:
        """Prepare a conversation. `backoff` is the first and the longest delay in seconds.

        `timeout` limits the time until a new connection is ready. `queue_bytes` limits
        the memory of unread events.
        """
        self._url = url
        self._token = token
        self._state = (session_id, last_seq, queue_bytes)
        self._backoff = backoff
        self._timeout = timeout
        self._session: Session | None = None
        self._task: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[None] | None = None
        self._socket: ClientConnection | None = None
        self._wake = asyncio.Event()
        self._error: DocentError | None = None
        self._closed = False
        self._reading = False

    async def __aenter__(self) -> AsyncConversation:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def session_id(self) -> str:
        """The id of the session; empty before the server has created it."""
        session_id = self._session.id if self._session else self._state[0]
        return session_id or ""

    @property
    def last_seq(self) -> int:
        """The number of the last stored entry that was added to the events."""
        return self._session.queue.seq if self._session else self._state[1] or 0

    async def open(self) -> None:
        """Connect. It raises the error of the first attempt, and later ones are repeated."""
        if self._closed:
            raise CanceledError("the conversation was closed")
        if self._task is None:
            self._session = Session(*self._state)
            self._opened = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._stay(self._session))
        assert self._opened is not None
        await asyncio.shield(self._opened)

    async def close(self) -> None:
        """Close the connection. Waiting calls fail, and stored messages remain."""
        self._closed = True
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._end(CanceledError("the conversation was closed"))

    # Messages.

    async def ask(self, message: Any, *, id: str | None = None) -> Reply:
        """Send a message, and return the replies when the turn has ended.

        The message is text, or any JSON, such as `{"message": "…", "collections": ["…"]}`.
        If the turn fails, the error of the server is raised.
        """
        watch = Watch()
        async for _ in self._watched(message, id, watch):
            pass
        return watch.reply()

    async def stream(self, message: Any, *, id: str | None = None) -> AsyncIterator[Event]:
        """Send a message, and yield the events of its turn.

        A `Delta` continues the text of the next reply, and a `Snapshot` replaces it.
        """
        watch = Watch()
        async for event in self._watched(message, id, watch):
            yield event
        watch.reply()

    async def _watched(self, message: Any, id: str | None, watch: Watch) -> AsyncIterator[Event]:
        request = self._put("user_message", message, "ack", id=id, watch=watch)
        session = self._live()
        try:
            await request.result
            while True:
                while watch.events:
                    yield watch.events.popleft()
                if watch.outcome:
                    return
                watch.more.clear()
                await watch.more.wait()
        finally:
            session.unwatch(watch)
            request.watch = None

    async def send(self, message: Any, *, id: str | None = None) -> Stored:
        """Send a message, and return when it is stored.

        Until then, it is sent again after each lost connection. A message with the
        same id is stored only once.
        """
        return await self._store("user_message", message, id)

    async def send_file(self, name: str, content: bytes, type: str = "file", *, id: str | None = None) -> Stored:
        """Send a file to the agent, like `send`."""
        file = {"name": name, "type": type, "base64": base64.b64encode(content).decode()}
        return await self._store("user_file", file, id)

    async def send_voice(self, recording: bytes, *, id: str | None = None) -> Stored:
        """Send an audio file, like `send`. docent transcribes it."""
        return await self._store("user_voice", base64.b64encode(recording).decode(), id)

    async def edit(self, turn: int, message: Any, *, id: str | None = None) -> Stored:
        """Replace the message of a turn. That turn and later ones are removed."""
        return await self._store("edit", {"turn": turn, "message": message}, id)

    async def regenerate(self, turn: int, *, id: str | None = None) -> Stored:
        """Request a new answer to the message of a turn."""
        return await self._store("regenerate", {"turn": turn}, id)

    async def stop(self, turn: int | None = None) -> None:
        """Stop a turn, by default the running one. Without a connection, do nothing."""
        if self._live().synced:
            message = {} if turn is None else {"turn": turn}
            await self._put("stop", message, "taken", once=turn is None).result

    async def show(self, turn: int) -> None:
        """Show a version of a question, and the messages that followed it."""
        await self._put("show", {"turn": turn}, "turns_shown").result

    async def feedback(
        self,
        turn: int | None = None,
        *,
        rating: int | None = None,
        reason: str | None = None,
        comment: str | None = None,
    ) -> int:
        """Rate a turn from -100 to 100, by default the last one. Return its number.

        The reason is wrong, outdated, incomplete, wrong_source, unclear, or other.
        """
        message = {"turn": turn, "rating": rating, "reason": reason, "comment": comment}
        message = {key: value for key, value in message.items() if value is not None}
        turn = await self._put("feedback", message, "feedback_stored").result
        return turn or 0

    async def set_variables(self, variables: dict[str, Any]) -> None:
        """Store variables of the session."""
        await self._put("user_set_variable", variables, "taken").result

    async def reset(self) -> None:
        """Delete all messages of the session."""
        await self._put("reset", None, "session_reset").result

    async def _store(self, action: str, message: Any, id: str | None) -> Stored:
        stored: Stored = await self._put(action, message, "ack", id=id).result
        return stored

    def _live(self) -> Session:
        if self._error:
            raise self._error
        if self._session is None:
            raise UnavailableError("the conversation is not open")
        return self._session

    def _put(
        self,
        action: str,
        message: Any,
        until: Until,
        *,
        id: str | None = None,
        once: bool = False,
        watch: Watch | None = None,
    ) -> Request:
        frame = {"action": action, "message": message, "id": id or str(uuid.uuid4())}
        request = self._live().put(frame, until, once=once, watch=watch)
        self._wake.set()
        return request

    # Events.

    async def events(self) -> AsyncIterator[Event]:
        """Yield the events from `open` on: each stored entry once and in order.

        One loop runs at a time. Leaving it keeps the other events for the next one.
        The error that ended the session is raised last, unless `close` ended it.
        """
        if self._reading:
            raise ConflictError("another reader has the events of this conversation")
        session = self._session or self._live()
        self._reading = True
        try:
            while True:
                event = session.queue.take()
                if event is not None:
                    yield event
                elif self._closed:
                    return
                elif self._error:
                    raise self._error
                else:
                    if session.queue.behind and self._socket:
                        await self._socket.close()  # the next connection requests the dropped entries
                    session.queue.more.clear()
                    await session.queue.more.wait()
        finally:
            self._reading = False

    # Connections.

    def _end(self, error: DocentError) -> None:
        if self._error is None:
            self._error = error
        if self._session:
            self._session.end(self._error)
        if self._opened and not self._opened.done():
            self._opened.set_exception(self._error)
            self._opened.exception()

    async def _stay(self, session: Session) -> None:
        assert self._opened is not None
        tries = 0
        while not self._closed:
            try:
                await self._connection(session)
            except _Lost as lost:
                again = session.queue.behind and session.queue.empty
                tries = 0 if session.synced else tries + 1
                session.lost()
                if lost.code == 1009:
                    session.too_large()
                if lost.final or not self._opened.done():
                    self._end(lost.error)
                    return
                retry = 0.0 if again else max(self._pause(tries), lost.error.retry_after or 0)
                session.queue.add(Disconnected(lost.error, retry))
                await asyncio.sleep(retry)
            except DocentError as err:
                self._end(err)
                return
            except Exception as err:
                self._end(DocentError(f"the client failed: {err!r}"))
                raise

    def _pause(self, tries: int) -> float:
        first, longest = self._backoff
        fast = min(longest, first * 2.0 ** max(0, tries - 1))
        return (longest if tries >= MAX_FAST_TRIES else fast) * (0.5 + random.random() / 2)

    def _address(self, session: Session) -> str:
        url = urlsplit(self._url)
        scheme = {"http": "ws", "https": "wss"}.get(url.scheme, url.scheme)
        query = [pair for pair in parse_qsl(url.query) if pair[0] != "session_id" or not session.id]
        if session.id:
            query.append(("session_id", session.id))
        path = "/ws" if url.path in ("", "/") else url.path
        return urlunsplit((scheme, url.netloc, path, urlencode(query), ""))

    async def _connect(self, session: Session) -> ClientConnection:
        try:
            from websockets.asyncio.client import connect
        except ImportError as err:  # BAF requires an older version
            raise InvalidError("conversations need websockets 14 or later") from err
        try:
            return await connect(
                self._address(session),
                subprotocols=[PROTOCOL],
                additional_headers=_http.headers(self._token),
                open_timeout=self._timeout,
                close_timeout=self._timeout,
                max_size=MAX_FRAME,
            )
        except InvalidStatus as err:
            raise _refused(err) from err
        except InvalidURI as err:
            raise InvalidError(f"the URL is invalid: {err}") from err
        except (OSError, TimeoutError, asyncio.TimeoutError, InvalidHandshake, ConnectionClosed) as err:
            error = UnavailableError(f"the server does not answer: {err or type(err).__name__}", retryable=True)
            raise _Lost(error) from err

    async def _connection(self, session: Session) -> None:
        socket = await self._connect(session)
        sender: asyncio.Task[None] | None = None
        try:
            if socket.subprotocol != PROTOCOL:
                raise InvalidError("the server does not speak docent.v1")
            self._socket = socket
            with suppress(ConnectionClosed):  # the reason is in the frames before
                await socket.send(session.hello())
            sender = asyncio.create_task(self._send(session, socket))
            await asyncio.wait_for(self._receive(session, socket, until_synced=True), self._timeout)
            if self._closed:  # before Python 3.12, wait_for may lose the cancellation by close
                return
            await self._receive(session, socket, until_synced=False)
        except (TimeoutError, asyncio.TimeoutError) as err:
            raise _Lost(UnavailableError("the server does not answer hello", retryable=True)) from err
        except Gap as err:
            raise _Lost(UnavailableError("messages of the server are missing", retryable=True)) from err
        except ConnectionClosed as err:
            code = err.rcvd.code if err.rcvd else 1006
            own = session.queue.behind and session.queue.empty
            if stays(code) and not own:
                raise _Lost(session.refusal or closed_with(code), final=True, code=code) from err
            lost = session.refusal or UnavailableError(f"the connection was lost ({code})", retryable=True)
            raise _Lost(lost) from err
        finally:
            self._socket = None
            if sender:
                sender.cancel()
                await asyncio.gather(sender, return_exceptions=True)
            await socket.close()

    async def _receive(self, session: Session, socket: ClientConnection, *, until_synced: bool) -> None:
        assert self._opened is not None
        while not (until_synced and session.synced):
            data = await socket.recv()
            session.receive(data if isinstance(data, str) else data.decode("utf-8", "replace"))
            if session.synced:
                self._wake.set()
                if not self._opened.done():
                    self._opened.set_result(None)

    async def _send(self, session: Session, socket: ClientConnection) -> None:
        while True:
            self._wake.clear()
            for request in list(session.unsent()):
                request.sent = True
                await socket.send(request.text)
            await self._wake.wait()


def _refused(err: InvalidStatus) -> Exception:
    response = err.response
    try:
        body = json.loads(response.body or b"")
    except ValueError:
        body = None
    error = from_status(response.status_code, body, _http.retry_after(response.headers))
    again = error.retryable or response.status_code >= 500
    return _Lost(error, final=not again)
