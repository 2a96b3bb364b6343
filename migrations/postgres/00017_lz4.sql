-- New texts and files are compressed with lz4 where the server supports it. It is
-- faster than pglz, the default.

-- +goose Up

-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE document ALTER COLUMN text SET COMPRESSION lz4;
        ALTER TABLE chunk ALTER COLUMN text SET COMPRESSION lz4;
        ALTER TABLE blob ALTER COLUMN bytes SET COMPRESSION lz4;
        ALTER TABLE chat ALTER COLUMN content SET COMPRESSION lz4;
    END IF;
END
$$;
-- +goose StatementEnd
