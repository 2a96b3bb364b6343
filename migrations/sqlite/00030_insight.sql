-- Facts about answers, and their daily totals.

-- +goose Up

-- How clients reach the session: page, widget, websocket, api, or terminal. Sessions of earlier
-- versions have ''.
ALTER TABLE session ADD COLUMN channel TEXT NOT NULL DEFAULT '';

-- An answer of a conversation has its session, message, and turn. Other answers have none, and
-- answer_text has what people saw.
CREATE TABLE answer (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER REFERENCES session (id) ON DELETE CASCADE,
    chat_id    INTEGER UNIQUE REFERENCES chat (id) ON DELETE CASCADE,
    turn       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    question   TEXT    NOT NULL,
    outcome    TEXT    NOT NULL,
    rating     INTEGER NOT NULL DEFAULT 0, -- -1, 0, or 1
    channel    TEXT    NOT NULL,
    asker      TEXT    NOT NULL,
    language   TEXT    NOT NULL,
    evidence   REAL,
    private    INTEGER NOT NULL, -- it used a file of the conversation
    mark       TEXT    NOT NULL DEFAULT '' -- off_topic or test
) STRICT;
CREATE INDEX answer_at ON answer (at, id);
CREATE INDEX answer_outcome ON answer (outcome, at, id);
CREATE INDEX answer_channel ON answer (channel, at, id);
CREATE INDEX answer_rating ON answer (rating, at, id) WHERE rating <> 0;
CREATE INDEX answer_turn ON answer (session_id, turn);

CREATE TABLE answer_text (
    answer_id INTEGER NOT NULL PRIMARY KEY REFERENCES answer (id) ON DELETE CASCADE,
    content   TEXT    NOT NULL
) STRICT;

-- The collections that the question named, or else those of the passages.
CREATE TABLE answer_collection (
    answer_id     INTEGER NOT NULL REFERENCES answer (id) ON DELETE CASCADE,
    collection_id INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    outcome       TEXT    NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (answer_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_collection_at ON answer_collection (collection_id, at, answer_id);
CREATE INDEX answer_collection_outcome ON answer_collection (collection_id, outcome, at, answer_id);

-- Totals of a day, which is YYYY-MM-DD in UTC. The row with the collection 0 counts all answers.
CREATE TABLE answer_day (
    day           TEXT    NOT NULL,
    collection_id INTEGER NOT NULL,
    questions     INTEGER NOT NULL,
    answered      INTEGER NOT NULL,
    unsure        INTEGER NOT NULL,
    not_found     INTEGER NOT NULL,
    rated_down    INTEGER NOT NULL,
    PRIMARY KEY (day, collection_id)
) STRICT, WITHOUT ROWID;

-- The process that adds facts locks the row. It has added those of the messages up to chat_id,
-- and the ratings up to feedback_id. Postgres needs the marks.
CREATE TABLE answer_follower (
    name        TEXT    NOT NULL PRIMARY KEY,
    chat_id     INTEGER NOT NULL,
    feedback_id INTEGER NOT NULL,
    mark        INTEGER NOT NULL,
    mark_xid    INTEGER NOT NULL
) STRICT;
