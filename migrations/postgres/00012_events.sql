-- Events of programs have an id, so that an event that is sent again is stored once.

-- +goose Up

ALTER TABLE event ADD COLUMN client_id TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX event_client_id ON event (session_id, client_id) WHERE client_id <> '';
