-- Sources that stay in sync, and their items.

-- +goose Up

CREATE TABLE source (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL UNIQUE,
    kind        TEXT    NOT NULL,
    location    TEXT    NOT NULL,
    options     TEXT    NOT NULL, -- JSON object of strings
    secret      BLOB,             -- encrypted JSON object of strings
    collection  TEXT    NOT NULL,
    schedule    TEXT    NOT NULL, -- manual, or an interval such as 15m
    paused      INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    next_at     INTEGER,                    -- when the next sync is due
    requested   INTEGER NOT NULL DEFAULT 0, -- 1 sync, 2 retry
    errors      INTEGER NOT NULL DEFAULT 0, -- failed syncs in a row
    last_sync   TEXT,                       -- JSON summary
    lease_owner TEXT    NOT NULL DEFAULT '',
    lease_until INTEGER,                    -- while a sync runs
    done        INTEGER NOT NULL DEFAULT 0, -- progress of that sync
    total       INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE source_item (
    source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    key       TEXT    NOT NULL,
    document  TEXT    NOT NULL, -- the document's source
    address   TEXT    NOT NULL,
    state     BLOB,
    status    TEXT    NOT NULL CHECK (status IN ('pending', 'ready', 'failed', 'unreachable')),
    owned     INTEGER NOT NULL, -- whether the source added the document
    reason    TEXT    NOT NULL,
    tries     INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (source_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_item_document ON source_item (document);
CREATE INDEX source_item_status ON source_item (source_id, status);
