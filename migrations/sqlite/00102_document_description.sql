-- Descriptions of documents by chat models.

-- +goose Up

-- key names the content, the model, and the prompt. summary and questions have one sentence in each line, and are '' if the model
-- wrote nothing usable.
CREATE TABLE document_description (
    document_id INTEGER NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    key         TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    summary     TEXT    NOT NULL,
    questions   TEXT    NOT NULL
) STRICT;
