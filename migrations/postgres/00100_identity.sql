-- The users of OpenID Connect providers.

-- +goose Up

CREATE TABLE identity (
    issuer  text   NOT NULL,
    subject text   NOT NULL,
    user_id bigint NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_user ON identity (user_id);
