-- The weekly digest.

-- +goose Up

-- The last attempt for each recipient: an address, or "webhooks". sentence is '' after a sent digest.
CREATE TABLE digest (
    recipient text PRIMARY KEY,
    due       timestamptz NOT NULL,
    at        timestamptz NOT NULL,
    attempts  bigint NOT NULL,
    reason    text NOT NULL,
    sentence  text NOT NULL
);
