-- Passages below approved answers.

-- +goose Up

-- revision is the version of the linked document in which quote was last found, or 0.
CREATE TABLE approved_passage (
    document_id bigint  NOT NULL REFERENCES approved_answer (document_id) ON DELETE CASCADE,
    place       integer NOT NULL,
    linked      bigint  NOT NULL, -- the document may have been deleted
    revision    bigint  NOT NULL,
    quote       text    NOT NULL,
    PRIMARY KEY (document_id, place)
);
