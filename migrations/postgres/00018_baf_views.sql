-- The view of sessions for programs of BAF shows only the variables that agents set.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_views WHERE schemaname = 'baf' AND viewname = 'session' AND viewowner = current_user) THEN
        RETURN; -- the role had no views, or the schema is not docent's
    END IF;
    CREATE OR REPLACE VIEW baf.session AS
        SELECT id, agent_name, session_id, session_name, username, platform_name,
            "timestamp"::timestamp AS "timestamp",
            (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(variables)
                WHERE key !~ '^(session_document_|model_context_|peer_session_)')::text AS variables
        FROM session;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_views WHERE schemaname = 'baf' AND viewname = 'session' AND viewowner = current_user) THEN
        RETURN; -- the role had no views, or the schema is not docent's
    END IF;
    CREATE OR REPLACE VIEW baf.session AS
        SELECT id, agent_name, session_id, session_name, username, platform_name,
            "timestamp"::timestamp AS "timestamp",
            variables::text AS variables
        FROM session;
END
$$;
-- +goose StatementEnd
