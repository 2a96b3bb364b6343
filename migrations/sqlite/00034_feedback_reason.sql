-- The reason of a bad rating, such as outdated; '' without one.

-- +goose Up

ALTER TABLE feedback ADD COLUMN reason TEXT NOT NULL DEFAULT '';
