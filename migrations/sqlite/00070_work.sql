-- Work on documents: uploads, syncs, runs of docent ingest, and readings that somebody asked for.

-- +goose Up

-- state is queued, running, done, failed, or canceled. owner and until are the lease of the
-- process that works. document_id and source_id are 0 without a document or a source.
CREATE TABLE work (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    stage       TEXT    NOT NULL,
    collection  TEXT    NOT NULL,
    document_id INTEGER NOT NULL,
    source_id   INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    asked_by    TEXT    NOT NULL,
    done        INTEGER NOT NULL DEFAULT 0,
    total       INTEGER NOT NULL DEFAULT 0,
    size        INTEGER NOT NULL,
    failed      INTEGER NOT NULL DEFAULT 0, -- documents that could not be read
    reason      TEXT    NOT NULL DEFAULT '',
    sentence    TEXT    NOT NULL DEFAULT '',
    tries       INTEGER NOT NULL DEFAULT 0,
    canceled    INTEGER NOT NULL DEFAULT 0,
    owner       TEXT    NOT NULL DEFAULT '',
    until       INTEGER,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER,
    ended_at    INTEGER
) STRICT;
CREATE INDEX work_state ON work (state, id);
CREATE INDEX work_ended ON work (ended_at) WHERE ended_at IS NOT NULL;

-- A document waits for one reading at a time.
CREATE UNIQUE INDEX work_document ON work (document_id)
    WHERE document_id > 0 AND state IN ('queued', 'running') AND kind IN ('retry', 'read_again');

-- Failed documents are counted by their reasons.
CREATE INDEX document_failed ON document (collection_id, id) WHERE status = 'failed';
