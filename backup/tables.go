package backup

import (
	"slices"
	"strings"
)

// Type is the type of a column. Each database stores it in its own form.
type Type string

// The types, with the Go types of their values in a row. A missing value is nil.
const (
	Int   Type = "int"   // int64
	Float Type = "float" // float64
	Bool  Type = "bool"  // bool
	Text  Type = "text"  // string
	Bytes Type = "bytes" // []byte
	Time  Type = "time"  // int64, microseconds since 1970
	JSON  Type = "json"  // string
	Texts Type = "texts" // string, a JSON array of strings
)

// Column is a column of a table.
type Column struct {
	// Name is the name in both databases.
	Name string
	// Type is the type of its values.
	Type Type
}

// Table is a table of the schema.
type Table struct {
	// Name is the name in both databases.
	Name string
	// Columns are all columns.
	Columns []Column
}

// Names returns the names of the columns.
func (t Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// Numbered reports whether the database numbers the rows in a column id.
func (t Table) Numbered() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == "id" })
}

// table returns a table with columns of the form "name type, name type".
func table(name, columns string) Table {
	t := Table{Name: name}
	for c := range strings.SplitSeq(columns, ", ") {
		name, kind, _ := strings.Cut(c, " ")
		t.Columns = append(t.Columns, Column{name, Type(kind)})
	}
	return t
}

// Tables are the tables of a backup. A table comes after those that its rows refer to.
// The schema also has the table corpus, of which a backup holds only the revision, replica,
// job_lease, snapshot, and the tables of the migrations and of SQLite.
var Tables = []Table{
	table("collection", "id int, name text, created_at time, restricted bool, "+
		"title text, description text, color text, owner text, questions text"),
	table("blob", "sha256 text, bytes bytes"),
	table("document", "id int, collection_id int, source text, title text, media_type text, language text, size int, "+
		"sha256 text, etag text, mtime int, status text, error text, pipeline text, version int, chunks int, "+
		"blob_sha256 text, folded text, created_at time, updated_at time, text text, sentence text, "+
		"date int, date_from text, edition text, skipped bool, folder text, tags text, own_tags text, file_title text"),
	table("document_change", "id int, document_id int, at time, title text, sha256 text, size int, added int, removed int, edits text"),
	table("document_description", "document_id int, key text, model text, summary text, questions text"),
	table("citation", "document_id int, answers int"),
	table("document_removal", "document_id int, revision int"),
	table("chunk", "id int, document_id int, ordinal int, kind text, headings texts, page int, page_label text, "+
		"start_byte int, end_byte int, tokens int, text text"),
	table("embedding", "chunk_id int, embedder text, vector bytes"),
	table("encoder", "model text, revision int, lease_owner text, lease_until time"),
	table("encoding", "chunk_id int, model text, revision int, vector bytes"),
	table("enrichment", "key text, text text"),
	table("chunk_enrichment", "chunk_id int, key text"),
	table("app_user", "id int, username text, password_hash text, created_at time, scopes text, disabled bool, last_seen_at time"),
	table("api_token", "id int, name text, hash bytes, created_at time, expires_at time, last_used_at time, scopes text, "+
		"user_id int"),
	table("login", "hash bytes, user_id int, created_at time, expires_at time, last_used_at time, client text"),
	table("identity", "issuer text, subject text, user_id int"),
	table("password_link", "user_id int, hash bytes, expires_at time"),
	table("user_group", "id int, name text, created_at time"),
	table("group_member", "member text, group_id int"),
	table("issuer_group", "member text, name text, expires_at time"),
	table("collection_right", "collection_id int, subject text, level int"),
	table("session", "id int, agent_name text, session_id text, session_name text, username text, platform_name text, "+
		"timestamp time, variables json, owner text, current_state text, seq int, turn int, updated_at time, "+
		"entered_at time, wake_at time, last_event int, reset_seq int, pinned bool, folded text, "+
		"commit_key text, commit_seq int, address text, replica text, fence int, channel text, archived bool, folder text, copied int"),
	table("chat", "id int, session_id int, type text, content json, is_user bool, timestamp time, seq int, turn int, "+
		"client_id text, sender text, replaces int, sentence text"),
	table("hidden_turn", "session_id int, first int, until int"),
	table("branch", "session_id int, turn int, parent int"),
	table("said", "session_id int, chat_id int, turn int, folded text"),
	table("event", "id int, session_id int, event text, info text, timestamp time, turn int, human bool, data json, "+
		"origin json, chat_id int, handled bool, client_id text"),
	table("transition", "id int, session_id int, source_state text, dest_state text, event text, condition text, "+
		"timestamp time, turn int"),
	table("intent_prediction", "id int, session_id int, message text, timestamp time, intent_classifier text, intent text, "+
		"score float, turn int"),
	table("parameter", "id int, intent_prediction_id int, name text, value text, info text"),
	table("reasoning_step", "id int, session_id int, chat_id int, kind text, step_kind text, step int, summary text, payload json, "+
		"timestamp time, seq int, turn int"),
	table("feedback", "id int, session_id int, turn int, rating int, comment text, timestamp time, reason text"),
	table("session_document", "id int, session_id int, turn int, content json"),
	table("share", "link text, session_id int, owner text, name text, turn int, seq int, only_turn bool, files bool, public bool, "+
		"created_at time, expires_at time"),
	table("memory", "owner text, agent_name text, key text, content json, updated_at time, expires_at time"),
	table("prompt", "id int, owner text, name text, text text, shared bool, updated_at time"),
	table("preference", "owner text, language text, instructions text"),
	table("source", "id int, name text, kind text, location text, options text, secret bytes, collection text, "+
		"schedule text, paused bool, created_at time, next_at time, requested int, errors int, last_sync text, "+
		"lease_owner text, lease_until time, done int, total int, begun int"),
	table("source_item", "source_id int, key text, document text, address text, state bytes, status text, owned bool, "+
		"reason text, tries int, at time, sentence text"),
	table("client_usage", "day text, client text, resource text, amount int"),
	table("webhook", "id int, url text, events text, content bool, private bool, secret bytes, created_at time"),
	table("webhook_delivery", "id int, webhook_id int, message_id text, event text, body bytes, created_at time, next_at time, "+
		"attempts int, delivered bool, result text"),
	table("gap", "id int, model text, vector bytes, questions int, people int, first_at time, last_at time, typical int, "+
		"typical_score float, title text, owner text, state text, note text, proposal text, asked int, solution int"),
	table("answer", "id int, session_id int, chat_id int, turn int, at time, question text, outcome text, rating int, "+
		"channel text, asker text, language text, evidence float, private bool, mark text, gap_id int, solved bool"),
	table("answer_text", "answer_id int, content text"),
	table("answer_collection", "answer_id int, collection_id int, outcome text, at time"),
	table("gap_collection", "gap_id int, collection_id int, state text, first_at time"),
	table("gap_lease", "name text, owner text, until time"),
	table("answer_day", "day text, collection_id int, questions int, answered int, unsure int, not_found int, rated_down int"),
	table("answer_follower", "name text, chat_id int, feedback_id int, mark int, mark_xid int"),
	table("setting", "key text, value text, secret bytes, changed_at time"),
	table("approved_answer", "document_id int, questions text, text text, signed text, owner text, review text, at time"),
	table("approved_link", "document_id int, linked int, sha256 text"),
	table("approved_passage", "document_id int, place int, linked int, revision int, quote text"),
	table("backup_run", "id int, at time, place text, size int, problem text"),
	table("digest", "recipient text, due time, at time, attempts int, reason text, sentence text"),
	table("trigger_run", "agent_name text, event text, plan text, done_at time"),
	table("trigger_delivery", "agent_name text, event text, owner text, due_at time, session_id text, done bool"),
	table("work", "id int, kind text, state text, stage text, collection text, document_id int, source_id int, name text, asked_by text, "+
		"done int, total int, size int, failed int, reason text, sentence text, tries int, canceled bool, owner text, until time, "+
		"created_at time, started_at time, ended_at time"),
	table("kept_question", "id int, collection_id int, question text, history text, expect text, file text, quote text, answer_id int, "+
		"edits int, at time, last_at time, last_outcome text, last_evidence float, last_rank int, "+
		"before_at time, before_outcome text, before_evidence float, before_rank int"),
	table("quality_run", "id int, started_at time, ended_at time, questions int, done int, failed int, reason text, sentence text"),
	table("audit", "id int, timestamp time, actor text, address text, action text, object text"),
}
