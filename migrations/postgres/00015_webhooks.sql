-- Receivers of events, and the messages that are delivered to them.

-- +goose Up

CREATE TABLE webhook (
    id         BIGINT      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url        TEXT        NOT NULL,
    events     TEXT        NOT NULL, -- separated by commas
    content    BOOLEAN     NOT NULL,
    private    BOOLEAN     NOT NULL,
    secret     BYTEA       NOT NULL, -- encrypted
    created_at TIMESTAMPTZ NOT NULL
);

-- A delivery without next_at is finished.
CREATE TABLE webhook_delivery (
    id         BIGINT      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id BIGINT      NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    message_id TEXT        NOT NULL,
    event      TEXT        NOT NULL,
    body       BYTEA       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    next_at    TIMESTAMPTZ,
    attempts   BIGINT      NOT NULL DEFAULT 0,
    delivered  BOOLEAN     NOT NULL DEFAULT FALSE,
    result     TEXT        NOT NULL DEFAULT ''
);
CREATE INDEX webhook_delivery_next ON webhook_delivery (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);
