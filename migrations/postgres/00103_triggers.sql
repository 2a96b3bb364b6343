-- The times of day at which agents send events to users.

-- +goose Up

-- Times up to done_at are done. plan is the text of the clock.
CREATE TABLE trigger_run (
    agent_name text        NOT NULL,
    event      text        NOT NULL,
    plan       text        NOT NULL,
    done_at    timestamptz NOT NULL,
    PRIMARY KEY (agent_name, event)
);

-- The events of a time that is not done. owner is the principal, or '' without authentication.
CREATE TABLE trigger_delivery (
    agent_name text        NOT NULL,
    event      text        NOT NULL,
    owner      text        NOT NULL,
    due_at     timestamptz NOT NULL,
    session_id text        NOT NULL,
    done       boolean     NOT NULL,
    PRIMARY KEY (agent_name, event, owner)
);
