-- Titles that people give to documents.

-- +goose Up

-- file_title is the title in the file of a renamed document; NULL if title is that of the file.
ALTER TABLE document ADD COLUMN file_title text;
