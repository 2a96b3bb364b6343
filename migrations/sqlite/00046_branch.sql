-- Versions of questions and answers: of several branches of a session, one is shown.

-- +goose Up

-- The turns of the branches that are not shown, as ranges without until.
CREATE TABLE hidden_turn (
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    first      INTEGER NOT NULL,
    until      INTEGER NOT NULL,
    PRIMARY KEY (session_id, first, until)
) STRICT, WITHOUT ROWID;
INSERT INTO hidden_turn (session_id, first, until)
SELECT DISTINCT session_id, replaces, turn FROM chat WHERE replaces > 0;

-- The turn that a turn follows, if another branch was shown before it. Other turns follow the
-- turn with the number before, or, if they replace a turn, the same turn as that one.
CREATE TABLE branch (
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn       INTEGER NOT NULL,
    parent     INTEGER NOT NULL,
    PRIMARY KEY (session_id, turn)
) STRICT, WITHOUT ROWID;
