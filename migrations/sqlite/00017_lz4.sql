-- Postgres changes its compression with this version. The versions of both databases are
-- the same, so that a backup fits both.

-- +goose Up

SELECT 1;
