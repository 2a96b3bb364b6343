-- The weekly digest.

-- +goose Up

-- The last attempt for each recipient: an address, or "webhooks". sentence is '' after a sent digest.
CREATE TABLE digest (
    recipient TEXT PRIMARY KEY,
    due       INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    attempts  INTEGER NOT NULL,
    reason    TEXT NOT NULL,
    sentence  TEXT NOT NULL
) STRICT;
