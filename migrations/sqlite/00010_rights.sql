-- Groups of users, and rights on collections.

-- +goose Up

CREATE TABLE user_group (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- A member is a principal: user:NAME or oidc:ISSUER#SUBJECT.
CREATE TABLE group_member (
    member   TEXT    NOT NULL,
    group_id INTEGER NOT NULL REFERENCES user_group (id) ON DELETE CASCADE,
    PRIMARY KEY (member, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_member_group ON group_member (group_id);

-- The groups that an issuer names in the token of a principal.
CREATE TABLE issuer_group (
    member     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (member, name)
) STRICT, WITHOUT ROWID;

-- Only the subjects of its rights may use a restricted collection.
ALTER TABLE collection ADD COLUMN restricted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX collection_open ON collection (name) WHERE NOT restricted;
CREATE INDEX collection_restricted ON collection (id) WHERE restricted;

-- A subject is everyone, group:NAME, or a principal. Level 1 reads, 2 writes, and
-- 3 manages.
CREATE TABLE collection_right (
    collection_id INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    subject       TEXT    NOT NULL,
    level         INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
    PRIMARY KEY (collection_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_right_subject ON collection_right (subject, collection_id, level);
