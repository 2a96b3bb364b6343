"""The state of a session of docent.v1, without input or output.

It delivers each stored entry once and in order, and it keeps requests until the
server answers them. The connection passes it all frames, and sends `hello` first.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .errors import BusyError, CanceledError, ConflictError, DocentError, InvalidError, UnavailableError, from_body
from .events import (
    Connected,
    Delta,
    Entry,
    Event,
    Reply,
    SessionReset,
    Snapshot,
    Status,
    Stored,
    Synced,
    TurnFailed,
    TurnFinished,
)

Until = Literal["ack", "taken", "feedback_stored", "turns_shown", "session_reset"]

EVENT_BYTES = 256
"""The approximate memory of an event besides its text."""

MAX_WAITING = 256
"""The maximum number of waiting requests."""

_user_actions = ("user_message", "user_file", "user_voice")


class Gap(Exception):
    """A stored frame is missing. The next connection requests it."""


def encode(frame: Mapping[str, Any]) -> str:
    """Return the JSON of a frame."""
    try:
        return json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as err:
        raise InvalidError(f"the message cannot be written as JSON: {err}") from err


@dataclass
class Sized:
    """An event with its approximate memory."""

    event: Event
    size: int


class Queue:
    """The events for the reader of a conversation.

    When it is full, it drops events. Once the reader has taken the others, the
    next connection requests the dropped entries again.
    """

    def __init__(self, limit: int) -> None:
        self._events: deque[Sized] = deque()
        self._bytes = 0
        self._limit = limit
        self.behind = False
        self.seq = 0
        self.open: dict[int, bool] = {}
        self.more = asyncio.Event()

    @property
    def empty(self) -> bool:
        """Whether no events wait."""
        return not self._events

    def add(self, event: Event, size: int = 0) -> None:
        """Append an event, or drop it."""
        seq = event.seq if isinstance(event, Entry) else 0
        if self.behind or 0 < seq <= self.seq:
            return
        size += EVENT_BYTES
        if self._events and self._bytes + size > self._limit:
            self.behind = True
            return
        self.seq = max(self.seq, seq)
        self._note(event)
        self._events.append(Sized(event, size))
        self._bytes += size
        self.more.set()

    def take(self) -> Event | None:
        """Return the next event, or None."""
        if not self._events:
            return None
        first = self._events.popleft()
        self._bytes -= first.size
        return first.event

    def begin(self, turn: int) -> None:
        """Note that the reader waits for the end of a turn."""
        self.open[turn] = False

    # _note keeps the unfinished turns, and whether their last reply is an error.
    def _note(self, event: Event) -> None:
        if isinstance(event, Entry):
            if event.action in _user_actions:
                if not event.history:
                    self.open[event.turn] = False
            elif event.turn in self.open:
                self.open[event.turn] = event.action == "error"
        elif isinstance(event, TurnFinished):
            if event.outcome != "held":
                self.open.pop(event.turn, None)
        elif isinstance(event, SessionReset):
            self.open.clear()


class Watch:
    """Collects the output of a turn."""

    def __init__(self) -> None:
        self.stored: Stored | None = None
        self.entries: list[Entry] = []
        self.events: deque[Event] = deque()
        self.more = asyncio.Event()
        self.outcome = ""
        self.usage: Mapping[str, int] | None = None
        self.failure: DocentError | None = None
        self._seq = 0

    def begin(self, stored: Stored) -> None:
        """Set the turn."""
        self.stored, self._seq = stored, stored.seq

    def hear(self, event: Event) -> None:
        """Add an event of any turn."""
        if self.stored is None:
            return
        if isinstance(event, Connected):
            event = Snapshot(self.stored.turn, 0, "", ())
        turn = getattr(event, "turn", None)
        if turn != self.stored.turn or self.outcome:
            return
        if isinstance(event, Entry) and event.seq:
            if event.seq <= self._seq:
                return
            self._seq = event.seq
            if event.action == "error":
                self.failure = from_body(event.message if isinstance(event.message, dict) else {})
            elif not event.action.startswith(("agent_reply_reasoning_step", "agent_reply_task_list")):
                self.entries.append(event)
                self.failure = None
        elif isinstance(event, TurnFailed):
            self.failure = event.error
        last = self.events[-1] if self.events else None
        if isinstance(event, Delta) and isinstance(last, Delta):
            self.events[-1] = Delta(event.turn, event.n, last.text + event.text)
        else:
            self.events.append(event)
        self.more.set()

    def finish(self, outcome: str, usage: Mapping[str, int] | None = None) -> None:
        """End the watch."""
        self.outcome, self.usage = outcome, usage
        self.more.set()

    def fail(self, error: DocentError) -> None:
        """End the watch without an outcome of the turn."""
        self.failure = error
        self.finish("failed")

    def reply(self) -> Reply:
        """Return the replies, or raise the reason of a failure."""
        assert self.stored is not None
        if self.outcome == "failed":
            raise self.failure or CanceledError("the session was reset before the turn was over")
        return Reply(self.stored, tuple(self.entries), self.outcome, self.usage)


class Request:
    """A frame that waits for its response."""

    def __init__(self, frame: dict[str, Any], until: Until, *, once: bool, since: int, watch: Watch | None) -> None:
        self.id: str = frame["id"]
        self.action: str = frame["action"]
        self.message = frame.get("message")
        self.text = encode(frame)
        self.until = until
        self.once = once
        self.since = since
        self.watch = watch
        self.sent = False
        self.result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def content(self) -> tuple[str, Any]:
        """Return the action and the content of the stored message."""
        if self.action == "edit":
            return "user_message", self.message["message"] if self.message else None
        if self.action == "regenerate":
            return "user_message", None
        return self.action, self.message

    def settle(self, value: Any) -> None:
        """Give the caller the result."""
        if self.watch and isinstance(value, Stored):
            self.watch.begin(value)
        if not self.result.done():
            self.result.set_result(value)

    def fail(self, error: DocentError) -> None:
        """Give the caller an error."""
        if not self.result.done():
            self.result.set_exception(error)
            self.result.exception()  # a canceled caller does not take it


def _text_bytes(action: str, content: Any) -> int:
    """Return the length of the text of a message, in bytes."""
    if action != "user_message" or content is None:
        return 0
    text = content if isinstance(content, str) else encode(content)
    if text.lstrip().startswith("{"):
        try:
            said = json.loads(text).get("message")
        except ValueError:
            said = None
        text = said if isinstance(said, str) else text
    return len(text.encode("utf-8", "surrogatepass"))


class Session:
    """The state of one session over all its connections."""

    def __init__(self, session_id: str | None, last_seq: int | None, queue_bytes: int = 8 << 20) -> None:
        self.id = session_id
        self.last = last_seq
        self.queue = Queue(queue_bytes)
        self.queue.seq = last_seq or 0
        self.synced = False
        self.welcome: Mapping[str, Any] | None = None
        self.refusal: DocentError | None = None
        self.requests: list[Request] = []
        self.watches: list[Watch] = []
        self._reset = 0
        self._gap: int | None = None
        self._asked = False

    # Requests.

    def put(self, frame: dict[str, Any], until: Until, *, once: bool = False, watch: Watch | None = None) -> Request:
        """Add a request. The connection sends it after `synced`."""
        request = Request(frame, until, once=once, since=self.last or 0, watch=watch)
        limits = (self.welcome or {}).get("limits") or {}
        most, longest = limits.get("frame_bytes"), limits.get("message_bytes")
        if most and len(request.text) * 4 > most and len(request.text.encode("utf-8", "surrogatepass")) > most:
            raise InvalidError(f"this is too large; the server accepts at most {most} bytes for the whole frame")
        if longest and _text_bytes(*request.content()) > longest:
            raise InvalidError(f"this text is too long; the server accepts at most {longest} bytes")
        if len(self.requests) >= MAX_WAITING:
            raise BusyError(f"{MAX_WAITING} messages are not acknowledged yet", retryable=True)
        if self._request(request.id):
            raise ConflictError("a message with this id is on its way")
        self.requests.append(request)
        return request

    def unsent(self) -> Iterator[Request]:
        """Yield the requests to send on this connection, in order."""
        if self.synced:
            for request in self.requests:
                if not request.sent:
                    yield request

    def _request(self, id: str) -> Request | None:
        return next((r for r in self.requests if r.id == id), None) if id else None

    def _settle(self, request: Request | None, value: Any) -> bool:
        if request is None:
            return False
        self.requests.remove(request)
        request.settle(value)
        if request.watch and isinstance(value, Stored):
            self.watches.append(request.watch)
        return True

    def unwatch(self, watch: Watch, outcome: str = "", usage: Mapping[str, int] | None = None) -> None:
        """End a watch."""
        if watch in self.watches:
            self.watches.remove(watch)
        if outcome:
            watch.finish(outcome, usage)

    # Connections.

    def hello(self) -> str:
        """Return the first frame of a connection."""
        self.synced, self.refusal = False, None
        for request in self.requests:
            request.sent = False
        if self.queue.empty:
            self.queue.behind = False
        if not self.queue.behind and self.last is not None:
            self.last = self.queue.seq
        self._asked = self.last is not None
        return encode({"action": "hello", "message": {"last_seq": self.last} if self._asked else {}})

    def lost(self) -> None:
        """Handle the end of a connection."""
        self.synced = False
        for request in [r for r in self.requests if r.once]:
            self.requests.remove(request)
            request.fail(UnavailableError("the connection was lost; the server may not have done this", retryable=True))

    def too_large(self) -> None:
        """Drop the largest sent request, for which the server closed the connection."""
        sent = [r for r in self.requests if r.sent]
        if sent:
            largest = max(sent, key=lambda r: len(r.text))
            self.requests.remove(largest)
            largest.fail(InvalidError("this is larger than the server accepts"))

    def end(self, error: DocentError) -> None:
        """Fail all requests and watches."""
        for request in self.requests:
            request.fail(error)
        for watch in self.watches:
            watch.fail(error)
        self.requests, self.watches = [], []
        self.queue.more.set()

    # Frames.

    def receive(self, text: str) -> None:
        """Handle a frame of the server. Unreadable frames are ignored."""
        try:
            frame = json.loads(text)
        except ValueError:
            return
        if not isinstance(frame, dict) or not isinstance(frame.get("action"), str):
            return
        for key in ("seq", "turn", "n", "replaces"):
            if not isinstance(frame.get(key) or 0, int):
                return
        message = frame.get("message")
        needs = _needs.get(frame["action"])
        if needs is not None and not (
            isinstance(message, dict) and all(isinstance(message.get(key), kind) for key, kind in needs)
        ):
            return
        if self._admit(frame):
            self._take(frame, message, len(text))

    # _admit reports whether a frame is new. It reconnects to get missing frames.
    def _admit(self, frame: Mapping[str, Any]) -> bool:
        action, seq = frame["action"], frame.get("seq") or 0
        if action == "ack":
            ack = frame["message"]
            seq = 0 if ack.get("duplicate") else ack.get("seq") or 0
        elif action == "session_reset":
            return True
        if not seq or self.last is None:
            return True
        if seq <= self.last:
            return bool(action == "ack")
        unknown = action == "ack" and self._request(frame["message"].get("id") or frame.get("id") or "") is None
        # If a new connection does not bring the missing frame, it no longer exists.
        if (seq > self.last + 1 or unknown) and self._gap != self.last:
            self._gap = self.last
            raise Gap
        self.last = seq
        return True

    def _take(self, frame: Mapping[str, Any], message: Any, size: int) -> None:
        action, turn, n = frame["action"], frame.get("turn") or 0, frame.get("n") or 0
        if action == "welcome":
            self._welcomed(message)
        elif action == "synced":
            self._synced(message)
        elif action == "session_reset":
            self._emptied(message["seq"])
        elif action == "ack":
            self._acked(frame, message, size)
        elif action == "feedback_stored":
            oldest = next((r for r in self.requests if r.until == "feedback_stored" and r.sent), None)
            self._settle(self._request(frame.get("id") or "") or oldest, message.get("turn", 0))
        elif action == "turns_shown":
            self._settle(self._request(frame.get("id") or ""), None)
        elif action == "error":
            self._failed(frame, message, size)
        elif action in _user_actions:
            self._said(frame, size)
        elif action == "turn_finished":
            usage = message.get("usage")
            for watch in [w for w in self.watches if w.stored and w.stored.turn == turn]:
                self.unwatch(watch, message["outcome"], usage)
            self._add(TurnFinished(turn, message["outcome"], usage))
        elif action == "agent_reply_delta":
            self._add(Delta(turn, n, message["text"]), size)
        elif action == "status":
            self._add(Status(turn, n, message["phase"]))
        elif action == "turn_snapshot":
            steps = tuple(Entry(s["action"], s["message"], 0, message["turn"]) for s in message["steps"])
            self._add(Snapshot(message["turn"], message["n"], message["text"], steps), size)
        elif frame.get("seq") or action.startswith("agent_reply_"):
            self._add(self._entry(frame), size)

    def _entry(self, frame: Mapping[str, Any]) -> Entry:
        return Entry(
            action=frame["action"],
            message=frame.get("message"),
            seq=frame.get("seq") or 0,
            turn=frame.get("turn") or 0,
            id=frame.get("id") or "",
            replaces=frame.get("replaces") or 0,
            sender=frame.get("sender") or "",
            history=frame.get("history") is True,
            n=frame.get("n") or 0,
        )

    def _add(self, event: Event, size: int = 0) -> None:
        for watch in self.watches:
            watch.hear(event)
        self.queue.add(event, size)

    def _welcomed(self, message: Mapping[str, Any]) -> None:
        self.welcome, self.id = message, message["session_id"]
        seq, reset = message["seq"], message.get("reset_seq") or 0
        had = max(self.last or 0, self.queue.seq)
        if not self._asked:
            self.last = self.queue.seq = seq
            self._reset = reset
        elif seq < had:  # the server has another database
            self.queue.add(SessionReset(had))
            self.last = self.queue.seq = self._reset = reset
            self._forget(had)
        elif reset > self._reset:
            if self.queue.seq:
                self.queue.add(SessionReset(reset))
            self._reset = reset
            self._passed(reset)
            self._forget(reset)
        for request in [r for r in self.requests if r.until == "session_reset" and 0 < reset >= r.since]:
            self._settle(request, reset)
        self._add(Connected(message))

    # _forget ends the watches of turns that no longer exist.
    def _forget(self, seq: int) -> None:
        for watch in [w for w in self.watches if w.stored and w.stored.seq <= seq]:
            self.unwatch(watch, "failed")

    # _passed notes that no entry up to a number will come.
    def _passed(self, seq: int) -> None:
        self.last = max(self.last or 0, seq)
        if not self.queue.behind:
            self.queue.seq = max(self.queue.seq, seq)

    def _emptied(self, seq: int) -> None:
        self.queue.add(SessionReset(seq))
        self._reset = max(self._reset, seq)
        self._forget(seq)
        self._passed(seq)
        for request in [r for r in self.requests if r.until == "session_reset"]:
            self._settle(request, seq)

    def _synced(self, message: Mapping[str, Any]) -> None:
        running = {t["turn"] for t in message["turns"]}
        for watch in [w for w in self.watches if w.stored and w.stored.turn not in running]:
            self.unwatch(watch, "failed" if watch.failure else "done")
        for turn, failed in sorted(self.queue.open.items()):
            if turn not in running:
                self.queue.add(TurnFinished(turn, "failed" if failed else "done", missed=True))
        if not self.queue.behind:
            self.queue.open = {turn: False for turn in running}
        self.queue.add(Synced(message["seq"]))
        self._passed(message["seq"])
        self.synced = True

    def _acked(self, frame: Mapping[str, Any], ack: Mapping[str, Any], size: int) -> None:
        id, seq = ack.get("id") or frame.get("id") or "", ack.get("seq") or 0
        request = self._request(id)
        if request is None or request.until != ("ack" if seq else "taken"):
            return
        if not seq:
            self._settle(request, None)
            return
        turn, duplicate = frame.get("turn") or 0, ack.get("duplicate") is True
        if not duplicate:
            action, content = request.content()
            entry = Entry(action, content, seq, turn, id, frame.get("replaces") or 0)
            self._add(entry, len(request.text))
        else:
            self.queue.begin(turn)
        self._settle(request, Stored(id, seq, turn, duplicate))

    # _said handles a message of a user. An own one was stored before the connection was lost.
    def _said(self, frame: Mapping[str, Any], size: int) -> None:
        entry = self._entry(frame)
        request = self._request(entry.id)
        if not entry.seq:  # the text of a recording, which is stored next
            if request and request.action == "user_voice":
                request.action, request.message = "user_message", entry.message
            return
        own = request if request and request.until == "ack" else None
        self._settle(own, Stored(entry.id, entry.seq, entry.turn, True))
        self._add(entry, size)
        if own:
            self.queue.begin(entry.turn)

    def _failed(self, frame: Mapping[str, Any], message: Mapping[str, Any], size: int) -> None:
        error = from_body(message)
        seq, turn, request = frame.get("seq") or 0, frame.get("turn") or 0, self._request(frame.get("id") or "")
        if not seq and request:
            self.requests.remove(request)
            request.fail(error)
        elif seq:
            self._add(self._entry(frame), size)
        elif turn:
            self._add(TurnFailed(turn, error))
        else:
            self.refusal = error


_needs: dict[str, tuple[tuple[str, type], ...]] = {
    "welcome": (("session_id", str), ("seq", int)),
    "synced": (("seq", int), ("turns", list)),
    "turn_snapshot": (("turn", int), ("n", int), ("text", str), ("steps", list)),
    "session_reset": (("seq", int),),
    "ack": (),
    "feedback_stored": (),
    "status": (("phase", str),),
    "agent_reply_delta": (("text", str),),
    "turn_finished": (("outcome", str),),
    "error": (("message", str),),
}
