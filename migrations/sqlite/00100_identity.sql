-- The users of OpenID Connect providers.

-- +goose Up

CREATE TABLE identity (
    issuer  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    user_id INTEGER NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
) STRICT;
CREATE INDEX identity_user ON identity (user_id);
