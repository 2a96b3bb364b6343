-- Views for programs and people that read a database of BAF: the tables and columns
-- of BAF's monitoring database, in a schema of that name, with messages as plain
-- text and with local times. A role that may not create schemas gets no views.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'baf')
        OR NOT has_database_privilege(current_database(), 'CREATE') THEN
        RETURN;
    END IF;
    CREATE SCHEMA baf;
    CREATE VIEW baf.session AS
        SELECT id, agent_name, session_id, session_name, username, platform_name,
            "timestamp"::timestamp AS "timestamp", variables::text AS variables
        FROM session;
    CREATE VIEW baf.chat AS
        SELECT id, session_id, type, content #>> '{}' AS content, is_user, "timestamp"::timestamp AS "timestamp"
        FROM chat;
    CREATE VIEW baf.event AS
        SELECT id, session_id, event, info, "timestamp"::timestamp AS "timestamp"
        FROM event;
    CREATE VIEW baf.transition AS
        SELECT id, session_id, source_state, dest_state, event, condition, "timestamp"::timestamp AS "timestamp"
        FROM transition;
    CREATE VIEW baf.intent_prediction AS
        SELECT id, session_id, message, "timestamp"::timestamp AS "timestamp", intent_classifier, intent, score
        FROM intent_prediction;
    CREATE VIEW baf.parameter AS
        SELECT id, intent_prediction_id, name, value, info
        FROM parameter;
    CREATE VIEW baf.reasoning_step AS
        SELECT id, session_id, chat_id, kind, step_kind, step, summary, payload, "timestamp"::timestamp AS "timestamp"
        FROM reasoning_step;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP SCHEMA IF EXISTS baf CASCADE;
