-- The folder and the tags of documents.

-- +goose Up

-- A list of tags is stored as its tags between line feeds, such as "\na\nb\n", or ''. tags are those that
-- the document states, and own_tags are those that people add.
ALTER TABLE document ADD COLUMN folder text NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN tags text NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN own_tags text NOT NULL DEFAULT '';

UPDATE document SET folder = CASE
    WHEN source LIKE 'upload:%/%' THEN rtrim(rtrim(substr(source, 8), replace(substr(source, 8), '/', '')), '/')
    WHEN source LIKE '%://%/%' THEN rtrim(rtrim(substr(source, strpos(source, '://') + 3),
        replace(substr(source, strpos(source, '://') + 3), '/', '')), '/')
    WHEN source LIKE '/%/%' THEN replace(rtrim(rtrim(source, replace(source, '/', '')), '/'),
        rtrim(rtrim(rtrim(source, replace(source, '/', '')), '/'), replace(source, '/', '')), '')
    ELSE '' END
WHERE source NOT LIKE '%#%';
