-- The views for programs of BAF show microseconds, as BAF stores them, and only the
-- variables that agents set.

-- +goose Up
DROP VIEW baf_session;
DROP VIEW baf_chat;
DROP VIEW baf_event;
DROP VIEW baf_transition;
DROP VIEW baf_intent_prediction;
DROP VIEW baf_parameter;
DROP VIEW baf_reasoning_step;
CREATE VIEW baf_session AS
    SELECT id, agent_name, session_id, session_name, username, platform_name,
        datetime("timestamp" / 1000000, 'unixepoch', 'localtime') || printf('.%06d', "timestamp" % 1000000) AS "timestamp",
        CASE WHEN EXISTS (SELECT 1 FROM json_each(variables)
                WHERE key GLOB 'session_document_*' OR key GLOB 'model_context_*' OR key GLOB 'peer_session_*')
            THEN (SELECT json_group_object(key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN value WHEN 'real' THEN value
                    WHEN 'object' THEN json(value) WHEN 'array' THEN json(value) ELSE json(type) END)
                FROM json_each(variables)
                WHERE NOT (key GLOB 'session_document_*' OR key GLOB 'model_context_*' OR key GLOB 'peer_session_*'))
            ELSE variables END AS variables
    FROM session;
CREATE VIEW baf_chat AS
    SELECT id, session_id, type, CASE json_type(content) WHEN 'text' THEN content ->> '$' ELSE content END AS content,
        is_user,
        datetime("timestamp" / 1000000, 'unixepoch', 'localtime') || printf('.%06d', "timestamp" % 1000000) AS "timestamp"
    FROM chat;
CREATE VIEW baf_event AS
    SELECT id, session_id, event, info,
        datetime("timestamp" / 1000000, 'unixepoch', 'localtime') || printf('.%06d', "timestamp" % 1000000) AS "timestamp"
    FROM event;
CREATE VIEW baf_transition AS
    SELECT id, session_id, source_state, dest_state, event, condition,
        datetime("timestamp" / 1000000, 'unixepoch', 'localtime') || printf('.%06d', "timestamp" % 1000000) AS "timestamp"
    FROM transition;
CREATE VIEW baf_intent_prediction AS
    SELECT id, session_id, message,
        datetime("timestamp" / 1000000, 'unixepoch', 'localtime') || printf('.%06d', "timestamp" % 1000000) AS "timestamp",
        intent_classifier, intent, score
    FROM intent_prediction;
CREATE VIEW baf_parameter AS
    SELECT id, intent_prediction_id, name, value, info
    FROM parameter;
CREATE VIEW baf_reasoning_step AS
    SELECT id, session_id, chat_id, kind, step_kind, step, summary, payload,
        datetime("timestamp" / 1000000, 'unixepoch', 'localtime') || printf('.%06d', "timestamp" % 1000000) AS "timestamp"
    FROM reasoning_step;

-- +goose Down
DROP VIEW baf_session;
DROP VIEW baf_chat;
DROP VIEW baf_event;
DROP VIEW baf_transition;
DROP VIEW baf_intent_prediction;
DROP VIEW baf_parameter;
DROP VIEW baf_reasoning_step;
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
