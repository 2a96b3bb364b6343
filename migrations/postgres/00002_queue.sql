-- Events become a session's queue: they have the turn that they begin and stay
-- until a committed turn has handled them. That replaces session.done_turn.

-- +goose Up

ALTER TABLE session
    ADD COLUMN entered_at timestamptz, -- current_state
    ADD COLUMN wake_at    timestamptz, -- timed conditions are to be looked at
    ADD COLUMN last_event bigint;      -- the event that a turn took last
CREATE INDEX session_wake ON session (agent_name, wake_at) WHERE wake_at IS NOT NULL;

ALTER TABLE event
    ADD COLUMN turn    bigint  NOT NULL DEFAULT 0,
    ADD COLUMN human   boolean NOT NULL DEFAULT true,
    ADD COLUMN data    jsonb,  -- null if it is the message's content
    ADD COLUMN origin  jsonb,
    ADD COLUMN chat_id bigint,
    ADD COLUMN handled boolean NOT NULL DEFAULT true;

-- An event and its message were stored at once, with one time.
UPDATE event SET turn = c.turn, chat_id = c.id, handled = c.turn <= s.done_turn
FROM (SELECT id, session_id, turn, "timestamp", row_number() OVER (PARTITION BY session_id, "timestamp" ORDER BY seq) AS n FROM chat WHERE is_user) c,
    (SELECT id, session_id, "timestamp", row_number() OVER (PARTITION BY session_id, "timestamp" ORDER BY id) AS n FROM event) e,
    session s
WHERE event.id = e.id AND c.session_id = e.session_id AND c."timestamp" = e."timestamp" AND c.n = e.n AND s.id = e.session_id;

-- Should a message have none, it gets one: it might wait for its answer.
INSERT INTO event (session_id, event, info, "timestamp", turn, chat_id, handled)
SELECT c.session_id, CASE jsonb_typeof(c.content) WHEN 'string' THEN 'receive_message_text' ELSE 'receive_message' END,
    c.content #>> '{}', c."timestamp", c.turn, c.id, c.turn <= s.done_turn
FROM chat c JOIN session s ON s.id = c.session_id
WHERE c.is_user AND NOT EXISTS (SELECT FROM event e WHERE e.chat_id = c.id)
ORDER BY c.session_id, c.seq;

ALTER TABLE event ADD FOREIGN KEY (chat_id) REFERENCES chat (id) ON DELETE CASCADE;
CREATE INDEX event_turn ON event (session_id, turn);
DROP INDEX event_session;
CREATE INDEX event_pending ON event (session_id, turn) WHERE NOT handled;
CREATE INDEX event_chat ON event (chat_id) WHERE chat_id IS NOT NULL;

-- Another agent that said it, "" if none did.
ALTER TABLE chat ADD COLUMN sender text NOT NULL DEFAULT '';

-- What is stored of a turn.
CREATE INDEX chat_turn ON chat (session_id, turn, seq);
CREATE INDEX reasoning_step_turn ON reasoning_step (session_id, turn, seq);

ALTER TABLE session DROP COLUMN done_turn;
