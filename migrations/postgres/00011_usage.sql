-- The work of clients in a day, for their limits.

-- +goose Up

-- A client is a principal, or address:ADDRESS. A day is YYYY-MM-DD.
CREATE TABLE client_usage (
    day      TEXT   NOT NULL,
    client   TEXT   NOT NULL,
    resource TEXT   NOT NULL,
    amount   BIGINT NOT NULL,
    PRIMARY KEY (day, client, resource)
);
