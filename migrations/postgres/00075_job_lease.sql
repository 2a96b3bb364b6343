-- Jobs that one process at a time does.

-- +goose Up

CREATE TABLE job_lease (
    job   text   NOT NULL PRIMARY KEY,
    owner text   NOT NULL,
    until timestamptz NOT NULL
);
