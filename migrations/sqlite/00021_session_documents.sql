-- The documents of sessions, which were variables.

-- +goose Up

-- A document belongs to one session and is not part of the library. turn is the turn
-- of the file, or 0. content is the title, the source, and the passages.
CREATE TABLE session_document (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn       INTEGER NOT NULL,
    content    TEXT    NOT NULL
) STRICT;
CREATE INDEX session_document_session ON session_document (session_id, turn);

INSERT INTO session_document (session_id, turn, content)
SELECT s.id, 0, v.value FROM session s, json_each(s.variables) v
WHERE substr(v.key, 1, 17) = 'session_document_' AND v.type = 'object'
ORDER BY s.id, cast(substr(v.key, 18) AS INTEGER);

UPDATE session SET variables = (
    SELECT coalesce(json_group_object(v.key, json(session.variables -> v.fullkey)), '{}')
    FROM json_each(session.variables) v WHERE substr(v.key, 1, 17) <> 'session_document_')
WHERE EXISTS (SELECT 1 FROM json_each(session.variables) v WHERE substr(v.key, 1, 17) = 'session_document_');
