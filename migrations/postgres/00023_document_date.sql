-- The date of a document as its author states it, and the version that it describes.

-- +goose Up

-- date is in Unix seconds; its default is the zero time of Go, which means unknown. edition
-- is the version, because the column version has the revision of the corpus.
ALTER TABLE document ADD COLUMN date bigint NOT NULL DEFAULT -62135596800;
ALTER TABLE document ADD COLUMN date_from text NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN edition text NOT NULL DEFAULT '';

-- A skipped document has the status failed, but its source has no text.
ALTER TABLE document ADD COLUMN skipped boolean NOT NULL DEFAULT false;
