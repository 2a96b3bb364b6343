-- Views for programs and people that read a database of BAF: the tables and columns
-- of BAF's monitoring database, with messages as plain text and with local times.
-- SQLite has no schemas, so the names begin with baf_.

-- +goose Up
CREATE VIEW baf_session AS
    SELECT id, agent_name, session_id, session_name, username, platform_name,
        datetime("timestamp" / 1e6, 'unixepoch', 'localtime') AS "timestamp", variables
    FROM session;
CREATE VIEW baf_chat AS
    SELECT id, session_id, type, CASE json_type(content) WHEN 'text' THEN content ->> '$' ELSE content END AS content,
        is_user, datetime("timestamp" / 1e6, 'unixepoch', 'localtime') AS "timestamp"
    FROM chat;
CREATE VIEW baf_event AS
    SELECT id, session_id, event, info, datetime("timestamp" / 1e6, 'unixepoch', 'localtime') AS "timestamp"
    FROM event;
CREATE VIEW baf_transition AS
    SELECT id, session_id, source_state, dest_state, event, condition,
        datetime("timestamp" / 1e6, 'unixepoch', 'localtime') AS "timestamp"
    FROM transition;
CREATE VIEW baf_intent_prediction AS
    SELECT id, session_id, message, datetime("timestamp" / 1e6, 'unixepoch', 'localtime') AS "timestamp",
        intent_classifier, intent, score
    FROM intent_prediction;
CREATE VIEW baf_parameter AS
    SELECT id, intent_prediction_id, name, value, info
    FROM parameter;
CREATE VIEW baf_reasoning_step AS
    SELECT id, session_id, chat_id, kind, step_kind, step, summary, payload,
        datetime("timestamp" / 1e6, 'unixepoch', 'localtime') AS "timestamp"
    FROM reasoning_step;

-- +goose Down
DROP VIEW baf_session;
DROP VIEW baf_chat;
DROP VIEW baf_event;
DROP VIEW baf_transition;
DROP VIEW baf_intent_prediction;
DROP VIEW baf_parameter;
DROP VIEW baf_reasoning_step;
