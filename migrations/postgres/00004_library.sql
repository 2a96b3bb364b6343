-- Conversations that are pinned and searched in.

-- +goose Up

ALTER TABLE session
    ADD COLUMN pinned boolean NOT NULL DEFAULT false,
    ADD COLUMN folded text    NOT NULL DEFAULT ''; -- session_name in lower case, to search in

-- What messages say in lower case, to search in; nothing of those that are not
-- text. A table of its own: in chat it would lie among the long contents.
CREATE TABLE said (
    session_id bigint NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    chat_id    bigint NOT NULL,
    turn       bigint NOT NULL,
    folded     text   NOT NULL,
    PRIMARY KEY (session_id, chat_id)
);

-- lower() leaves letters beyond ASCII alone where the database's locale is C.
UPDATE session SET folded = translate(lower(session_name), 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞŒŠŽŸŁŚŹŻĆŃĄĘČĎĚŇŘŤŮŐŰĂȘȚĐĞŞΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІЇҐ', 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþœšžÿłśźżćńąęčďěňřťůőűășțđğşαβγδεζηθικλμνξοπρστυφχψωάέήίόύώабвгдеёжзийклмнопрстуфхцчшщъыьэюяєіїґ')
WHERE session_name IS NOT NULL;
INSERT INTO said (session_id, chat_id, turn, folded)
SELECT session_id, id, turn, translate(lower(words), 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞŒŠŽŸŁŚŹŻĆŃĄĘČĎĚŇŘŤŮŐŰĂȘȚĐĞŞΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІЇҐ', 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþœšžÿłśźżćńąęčďěňřťůőűășțđğşαβγδεζηθικλμνξοπρστυφχψωάέήίόύώабвгдеёжзийклмнопрстуфхцчшщъыьэюяєіїґ')
FROM (SELECT id, session_id, turn, CASE
        WHEN is_user AND jsonb_typeof(content -> 'message') = 'string' THEN content ->> 'message'
        WHEN NOT is_user AND type = 'rag_answer' THEN content ->> 'answer'
        WHEN jsonb_typeof(content) = 'string' THEN content #>> '{}' END AS words
    FROM chat WHERE is_user AND type IN ('str', 'json') OR NOT is_user AND type IN ('str', 'markdown', 'rag_answer')) c
WHERE words <> '';
