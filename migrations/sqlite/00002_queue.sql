-- Events become a session's queue: they have the turn that they begin and stay
-- until a committed turn has handled them. That replaces session.done_turn.

-- +goose Up

ALTER TABLE session ADD COLUMN entered_at INTEGER; -- current_state
ALTER TABLE session ADD COLUMN wake_at INTEGER; -- timed conditions are to be looked at
ALTER TABLE session ADD COLUMN last_event INTEGER; -- the event that a turn took last
CREATE INDEX session_wake ON session (agent_name, wake_at) WHERE wake_at IS NOT NULL;

ALTER TABLE event ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN human INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN chat_id INTEGER REFERENCES chat (id) ON DELETE CASCADE;
ALTER TABLE event ADD COLUMN handled INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN origin TEXT; -- JSON
ALTER TABLE event ADD COLUMN data TEXT; -- JSON, null if it is the message's content

CREATE INDEX event_chat ON event (chat_id) WHERE chat_id IS NOT NULL;

-- An event and its message were stored at once, with one time.
UPDATE event SET turn = c.turn, chat_id = c.id, handled = c.turn <= s.done_turn
FROM (SELECT id, session_id, turn, "timestamp", row_number() OVER (PARTITION BY session_id, "timestamp" ORDER BY seq) AS n FROM chat WHERE is_user) c,
    (SELECT id, session_id, "timestamp", row_number() OVER (PARTITION BY session_id, "timestamp" ORDER BY id) AS n FROM event) e,
    session s
WHERE event.id = e.id AND c.session_id = e.session_id AND c."timestamp" = e."timestamp" AND c.n = e.n AND s.id = e.session_id;

-- Should a message have none, it gets one: it might wait for its answer.
INSERT INTO event (session_id, event, info, "timestamp", turn, chat_id, handled)
SELECT c.session_id, CASE WHEN c.content LIKE '"%' THEN 'receive_message_text' ELSE 'receive_message' END,
    CASE WHEN c.content LIKE '"%' THEN c.content ->> '$' ELSE c.content END, c."timestamp", c.turn, c.id, c.turn <= s.done_turn
FROM chat c JOIN session s ON s.id = c.session_id
WHERE c.is_user AND NOT EXISTS (SELECT 1 FROM event e WHERE e.chat_id = c.id)
ORDER BY c.session_id, c.seq;

CREATE INDEX event_turn ON event (session_id, turn);
DROP INDEX event_session;
CREATE INDEX event_pending ON event (session_id, turn) WHERE NOT handled;

-- Another agent that said it, "" if none did.
ALTER TABLE chat ADD COLUMN sender TEXT NOT NULL DEFAULT '';

-- What is stored of a turn.
CREATE INDEX chat_turn ON chat (session_id, turn, seq);
CREATE INDEX reasoning_step_turn ON reasoning_step (session_id, turn, seq);

ALTER TABLE session DROP COLUMN done_turn;
