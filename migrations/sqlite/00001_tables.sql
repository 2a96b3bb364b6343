-- The tables session to reasoning_step have the names and columns of BAF's
-- monitoring database; columns of ours follow BAF's in each. Times are Unix
-- microseconds. The columns with long values come last: what is read without
-- them then does not touch their pages.

-- +goose Up

-- One row: what the indexes derived from this database follow.
CREATE TABLE corpus (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    database_id TEXT    NOT NULL,
    revision    INTEGER NOT NULL
) STRICT;
INSERT INTO corpus (one, database_id, revision) VALUES (1, lower(hex(randomblob(16))), 0);

CREATE TABLE collection (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO collection (name, created_at) VALUES ('default', unixepoch() * 1000000);

-- The bytes of sources, once each; removed with the last document they are of.
CREATE TABLE blob (
    sha256 TEXT NOT NULL PRIMARY KEY,
    bytes  BLOB NOT NULL
) STRICT;

CREATE TABLE document (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collection (id),
    source        TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    media_type    TEXT    NOT NULL,
    language      TEXT    NOT NULL,
    size          INTEGER NOT NULL,
    sha256        TEXT    NOT NULL,
    etag          TEXT    NOT NULL,
    mtime         INTEGER NOT NULL, -- Unix nanoseconds, 0 if unknown
    status        TEXT    NOT NULL CHECK (status IN ('ready', 'failed')),
    error         TEXT    NOT NULL,
    pipeline      TEXT    NOT NULL,
    version       INTEGER NOT NULL, -- the corpus revision that wrote it last
    chunks        INTEGER NOT NULL,
    blob_sha256   TEXT    REFERENCES blob (sha256),
    folded        TEXT    NOT NULL, -- source and title in lower case, to search in
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    text          TEXT    NOT NULL,
    UNIQUE (collection_id, source)
) STRICT;
CREATE INDEX document_version ON document (version);
CREATE INDEX document_blob ON document (blob_sha256) WHERE blob_sha256 IS NOT NULL;

-- What is gone, for the indexes that have yet to drop it.
CREATE TABLE document_removal (
    document_id INTEGER PRIMARY KEY,
    revision    INTEGER NOT NULL
) STRICT;
CREATE INDEX document_removal_revision ON document_removal (revision);

CREATE TABLE chunk (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal     INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    headings    TEXT    NOT NULL, -- a JSON array of strings
    page        INTEGER,
    page_label  TEXT    NOT NULL,
    start_byte  INTEGER NOT NULL,
    end_byte    INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    text        TEXT    NOT NULL,
    UNIQUE (document_id, ordinal)
) STRICT;

-- A rowid table on purpose: rows of a kilobyte do not fit the pages of a
-- clustered key, and reading all of them was four times slower.
CREATE TABLE embedding (
    chunk_id INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    embedder TEXT    NOT NULL,
    vector   BLOB    NOT NULL, -- little-endian float32
    PRIMARY KEY (chunk_id, embedder)
) STRICT;

CREATE TABLE session (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_name    TEXT    NOT NULL,
    session_id    TEXT    NOT NULL,
    session_name  TEXT,
    username      TEXT,
    platform_name TEXT    NOT NULL,
    "timestamp"   INTEGER NOT NULL,
    variables     TEXT    NOT NULL DEFAULT '{}', -- a JSON object
    owner         TEXT    NOT NULL DEFAULT '',
    current_state TEXT    NOT NULL DEFAULT '',
    seq           INTEGER NOT NULL DEFAULT 0, -- given last
    turn          INTEGER NOT NULL DEFAULT 0, -- begun last
    done_turn     INTEGER NOT NULL DEFAULT 0, -- committed last
    updated_at    INTEGER NOT NULL,
    UNIQUE (agent_name, session_id)
) STRICT;
CREATE INDEX session_username ON session (username);
CREATE INDEX session_owner ON session (owner);

CREATE TABLE chat (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    type        TEXT    NOT NULL,
    content     TEXT    NOT NULL, -- JSON
    is_user     INTEGER NOT NULL,
    "timestamp" INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    turn        INTEGER NOT NULL,
    client_id   TEXT    NOT NULL DEFAULT '',
    UNIQUE (session_id, seq)
) STRICT;
CREATE UNIQUE INDEX chat_client_id ON chat (session_id, client_id) WHERE is_user AND client_id <> '';

CREATE TABLE event (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  INTEGER REFERENCES session (id) ON DELETE CASCADE,
    event       TEXT    NOT NULL,
    info        TEXT,
    "timestamp" INTEGER NOT NULL
) STRICT;
CREATE INDEX event_session ON event (session_id);

CREATE TABLE transition (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id   INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    source_state TEXT    NOT NULL,
    dest_state   TEXT    NOT NULL,
    event        TEXT,
    condition    TEXT,
    "timestamp"  INTEGER NOT NULL,
    turn         INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX transition_session ON transition (session_id);

CREATE TABLE intent_prediction (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id        INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    message           TEXT    NOT NULL,
    "timestamp"       INTEGER NOT NULL,
    intent_classifier TEXT    NOT NULL,
    intent            TEXT    NOT NULL,
    score             REAL    NOT NULL,
    turn              INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX intent_prediction_session ON intent_prediction (session_id);

CREATE TABLE parameter (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    intent_prediction_id INTEGER NOT NULL REFERENCES intent_prediction (id) ON DELETE CASCADE,
    name                 TEXT    NOT NULL,
    value                TEXT,
    info                 TEXT
) STRICT;
CREATE INDEX parameter_intent_prediction ON parameter (intent_prediction_id);

CREATE TABLE reasoning_step (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    chat_id     INTEGER REFERENCES chat (id) ON DELETE SET NULL,
    kind        TEXT    NOT NULL,
    step_kind   TEXT,
    step        INTEGER,
    summary     TEXT,
    payload     TEXT    NOT NULL, -- JSON
    "timestamp" INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    turn        INTEGER NOT NULL,
    UNIQUE (session_id, seq)
) STRICT;
CREATE INDEX reasoning_step_chat ON reasoning_step (chat_id);

CREATE TABLE feedback (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn        INTEGER NOT NULL,
    rating      INTEGER,
    comment     TEXT    NOT NULL DEFAULT '',
    "timestamp" INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_session ON feedback (session_id);

CREATE TABLE app_user (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    username      TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE api_token (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT    NOT NULL,
    hash         BLOB    NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER
) STRICT;
