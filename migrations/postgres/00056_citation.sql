-- How many answers cite each document, and indexes for lists of documents.

-- +goose Up

-- The count stays when answers are deleted.
CREATE TABLE citation (
    document_id bigint NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    answers     bigint NOT NULL
);
CREATE INDEX citation_answers ON citation (answers, document_id);

INSERT INTO citation (document_id, answers)
SELECT d.id, count(DISTINCT a.id)
FROM answer a
JOIN chat c ON c.id = a.chat_id
CROSS JOIN LATERAL jsonb_path_query(c.content::jsonb, '$.sentences[*].docs[*]') n
JOIN document d ON d.id = (c.content::jsonb #>> ARRAY['docs', ((n #>> '{}')::int - 1)::text, 'metadata', 'document_id'])::bigint
WHERE a.outcome IN ('answered', 'unsure')
GROUP BY d.id;
