-- Descriptions of documents by chat models.

-- +goose Up

-- key names the content, the model, and the prompt. summary and questions have one sentence in each line, and are '' if the model
-- wrote nothing usable.
CREATE TABLE document_description (
    document_id bigint NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    key         text   NOT NULL,
    model       text   NOT NULL,
    summary     text   NOT NULL,
    questions   text   NOT NULL
);
