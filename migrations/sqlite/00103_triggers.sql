-- The times of day at which agents send events to users.

-- +goose Up

-- Times up to done_at are done. plan is the text of the clock.
CREATE TABLE trigger_run (
    agent_name TEXT    NOT NULL,
    event      TEXT    NOT NULL,
    plan       TEXT    NOT NULL,
    done_at    INTEGER NOT NULL,
    PRIMARY KEY (agent_name, event)
) STRICT, WITHOUT ROWID;

-- The events of a time that is not done. owner is the principal, or '' without authentication.
CREATE TABLE trigger_delivery (
    agent_name TEXT    NOT NULL,
    event      TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    due_at     INTEGER NOT NULL,
    session_id TEXT    NOT NULL,
    done       INTEGER NOT NULL,
    PRIMARY KEY (agent_name, event, owner)
) STRICT, WITHOUT ROWID;
