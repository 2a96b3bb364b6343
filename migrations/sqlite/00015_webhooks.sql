-- Receivers of events, and the messages that are delivered to them.

-- +goose Up

CREATE TABLE webhook (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    url        TEXT    NOT NULL,
    events     TEXT    NOT NULL, -- separated by commas
    content    INTEGER NOT NULL,
    private    INTEGER NOT NULL,
    secret     BLOB    NOT NULL, -- encrypted
    created_at INTEGER NOT NULL
) STRICT;

-- A delivery without next_at is finished.
CREATE TABLE webhook_delivery (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    message_id TEXT    NOT NULL,
    event      TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    next_at    INTEGER,
    attempts   INTEGER NOT NULL DEFAULT 0,
    delivered  INTEGER NOT NULL DEFAULT 0,
    result     TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX webhook_delivery_next ON webhook_delivery (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);
