-- How many answers cite each document, and indexes for lists of documents.

-- +goose Up

-- The count stays when answers are deleted.
CREATE TABLE citation (
    document_id INTEGER NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    answers     INTEGER NOT NULL
) STRICT;
CREATE INDEX citation_answers ON citation (answers, document_id);

INSERT INTO citation (document_id, answers)
SELECT d.id, count(DISTINCT a.id)
FROM answer a
JOIN chat c ON c.id = a.chat_id
JOIN json_each(c.content, '$.sentences') s
JOIN json_each(s.value, '$.docs') n
JOIN document d ON d.id = json_extract(c.content, '$.docs[' || (n.value - 1) || '].metadata.document_id')
WHERE a.outcome IN ('answered', 'unsure') AND json_valid(c.content)
GROUP BY d.id;
