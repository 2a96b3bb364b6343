-- Approved answers. Each is a document that people wrote for some questions.

-- +goose Up

-- questions has one question in each line. review is the day of the next check, YYYY-MM-DD, or ''.
CREATE TABLE approved_answer (
    document_id bigint      NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    questions   text        NOT NULL,
    text        text        NOT NULL,
    signed      text        NOT NULL,
    owner       text        NOT NULL,
    review      text        NOT NULL,
    at          timestamptz NOT NULL
);

-- The documents below an approved answer. sha256 is their content when somebody last checked it.
CREATE TABLE approved_link (
    document_id bigint NOT NULL REFERENCES approved_answer (document_id) ON DELETE CASCADE,
    linked      bigint NOT NULL, -- the document may have been deleted
    sha256      text   NOT NULL,
    PRIMARY KEY (document_id, linked)
);
