-- An index for the list of all gaps.

-- +goose Up

CREATE INDEX gap_questions ON gap (questions, id);
