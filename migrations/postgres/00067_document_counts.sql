-- SQLite has an index from this version on. The versions of both databases are the same, so that
-- a backup fits both.

-- +goose Up

SELECT 1;
