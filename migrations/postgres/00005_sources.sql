-- Sources that stay in sync, and their items.

-- +goose Up

CREATE TABLE source (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL UNIQUE,
    kind        text        NOT NULL,
    location    text        NOT NULL,
    options     text        NOT NULL, -- JSON object of strings
    secret      bytea,                -- encrypted JSON object of strings
    collection  text        NOT NULL,
    schedule    text        NOT NULL, -- manual, or an interval such as 15m
    paused      boolean     NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL,
    next_at     timestamptz,                    -- when the next sync is due
    requested   integer     NOT NULL DEFAULT 0, -- 1 sync, 2 retry
    errors      integer     NOT NULL DEFAULT 0, -- failed syncs in a row
    last_sync   text,                           -- JSON summary
    lease_owner text        NOT NULL DEFAULT '',
    lease_until timestamptz,                    -- while a sync runs
    done        integer     NOT NULL DEFAULT 0, -- progress of that sync
    total       integer     NOT NULL DEFAULT 0
);

CREATE TABLE source_item (
    source_id bigint      NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    key       text        NOT NULL COLLATE "C",
    document  text        NOT NULL, -- the document's source
    address   text        NOT NULL,
    state     bytea,
    status    text        NOT NULL CHECK (status IN ('pending', 'ready', 'failed', 'unreachable')),
    owned     boolean     NOT NULL, -- whether the source added the document
    reason    text        NOT NULL,
    tries     integer     NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (source_id, key)
);
CREATE INDEX source_item_document ON source_item (document);
CREATE INDEX source_item_status ON source_item (source_id, status);
