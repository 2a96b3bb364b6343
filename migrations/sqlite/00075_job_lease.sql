-- Jobs that one process at a time does.

-- +goose Up

CREATE TABLE job_lease (
    job   TEXT    NOT NULL PRIMARY KEY,
    owner TEXT    NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
