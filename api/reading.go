package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/api/route"
	"docent/auth"
	"docent/auth/audit"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Conversation is a conversation in the list for administrators.
type Conversation struct {
	// SessionID is the id of the session.
	SessionID string `json:"session_id"`
	// SessionName is the display name; null without one.
	SessionName *string `json:"session_name"`
	// First is the beginning of the user's first text; absent if the session has a
	// name.
	First string `json:"first,omitempty"`
	// Owner is the principal that created the session; empty if authentication was off.
	Owner string `json:"owner" doc:"The principal that owns the conversation. Empty if it is from the time before authentication was on."`
	// OwnerName is the name of the owner.
	OwnerName string `json:"owner_name" doc:"The name of the owner for people. Empty like owner."`
	// CreatedAt is the time of the first use.
	CreatedAt time.Time `json:"created_at"`
	// Timestamp is the time of the last use.
	Timestamp time.Time `json:"timestamp" doc:"The time of the last use."`
	// Messages is the number of messages.
	Messages int `json:"messages"`
}

type conversationsInput struct {
	Agent  string    `query:"agent_name" maxLength:"255" doc:"The agent. The default is all agents."`
	Owner  string    `query:"owner" maxLength:"1000" doc:"Lists only conversations of this principal."`
	Match  string    `query:"match" maxLength:"200" doc:"Lists only conversations with this text, as in GET /api/sessions."`
	Since  time.Time `query:"since" doc:"Lists only conversations that were last used at this time or later."`
	Until  time.Time `query:"until" doc:"Lists only conversations that were last used before this time."`
	Cursor string    `query:"cursor" maxLength:"100" doc:"The value next_cursor of the previous page."`
	Limit  int       `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

type conversationsOutput struct {
	Body struct {
		Conversations []Conversation `json:"conversations"`
		NextCursor    string         `json:"next_cursor,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"ConversationPage"`
}

// readings handles the routes with which administrators read conversations of others.
// They change nothing. Each request is recorded before it is answered.
type readings struct {
	messages messages
	exports  exports
	log      AuditLog
	on       bool
}

func (r readings) addRoutes(routes *route.Router) {
	const list, one = "/api/admin/conversations", "/api/admin/conversations/{session_id}"
	tags := []string{"administration"}
	const note = " The server must run with --read-conversations. Each request adds a record to the audit log."
	route.Add(routes, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-conversations", Tags: tags,
		Summary:     "List the conversations of others by last use",
		Description: "Your own conversations and those without a message of a user are not in the list." + note,
	}, r.list)
	route.Add(routes, huma.Operation{
		Method: http.MethodGet, Path: one + "/messages", OperationID: "read-conversation", Tags: tags,
		Summary: "Read a conversation of another user", Errors: []int{http.StatusNotFound},
		Description: "The same as GET /api/sessions/{session_id}/messages, with the passages that the owner may read now." + note,
	}, r.read)
	export := r.exports.operation()
	export.Path, export.OperationID, export.Tags = one+"/export", "export-conversation", tags
	export.Summary = "Export a conversation of another user as a file"
	export.Description = "The same as GET /api/sessions/{session_id}/export, with the passages that the owner may read now." + note
	route.Add(routes, export, r.export)
}

// record records a reading. It fails if reading is off.
func (r readings) record(ctx context.Context, action audit.Action, object string) error {
	if !r.on {
		return fault.New(fault.Forbidden, "reading_off",
			"reading conversations of others is off; an operator can allow it with docent serve --read-conversations")
	}
	p, _ := auth.FromContext(ctx)
	return r.log.Add(ctx, audit.Record{Actor: p.ID, Address: auth.RemoteOf(ctx), Action: action, Object: object})
}

func (r readings) list(ctx context.Context, in *conversationsInput) (*conversationsOutput, error) {
	if err := route.CheckText("agent_name", in.Agent, "owner", in.Owner, "match", in.Match, "cursor", in.Cursor); err != nil {
		return nil, err
	}
	p, _ := auth.FromContext(ctx)
	filter := journal.SessionFilter{
		Agent: in.Agent, Owner: in.Owner, Except: p.ID, Since: in.Since, Until: in.Until,
		Spoken: true, Match: strings.TrimSpace(in.Match), Latest: true, Limit: in.Limit + 1, // one more tells whether there is a next page
	}
	if in.Cursor != "" {
		var at int64
		filter.Past = &journal.SessionRecord{}
		if _, err := fmt.Sscanf(in.Cursor, "%d.%d", &at, &filter.Past.RowID); err != nil {
			return nil, wrongCursor()
		}
		filter.Past.UpdatedAt = time.UnixMicro(at)
	}
	if err := r.record(ctx, audit.ConversationsListed, in.Owner); err != nil {
		return nil, err
	}
	found, err := r.messages.search(ctx, filter)
	if err != nil {
		return nil, err
	}
	out := &conversationsOutput{}
	out.Body.Conversations = []Conversation{}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		last := found[in.Limit-1]
		out.Body.NextCursor = fmt.Sprintf("%d.%d", last.UpdatedAt.UnixMicro(), last.RowID)
	}
	for _, s := range found {
		out.Body.Conversations = append(out.Body.Conversations, Conversation{
			SessionID: s.Key.ID, SessionName: nullable(s.Name), First: s.First, Owner: s.Owner, OwnerName: auth.OwnerName(s.Owner),
			CreatedAt: s.CreatedAt.UTC(), Timestamp: s.UpdatedAt.UTC(), Messages: s.Messages,
		})
	}
	return out, nil
}

// open records the reading of a session. It returns the session and a context in which
// the reader of documents is the owner, so that nobody reads more than the owner.
func (r readings) open(ctx context.Context, action audit.Action, id, agent string) (context.Context, journal.SessionRecord, error) {
	key, err := r.messages.key(ctx, id, agent)
	if err != nil {
		return ctx, journal.SessionRecord{}, err
	}
	if !r.on {
		return ctx, journal.SessionRecord{}, r.record(ctx, action, "") // whether the session exists or not
	}
	session, err := r.messages.directory.Session(ctx, key)
	if err != nil {
		return ctx, session, err
	}
	if err := r.record(ctx, action, key.ID); err != nil {
		return ctx, session, err
	}
	return corpus.WithReader(ctx, corpus.Reader{Principal: session.Owner, Limited: true}), session, nil
}

func (r readings) read(ctx context.Context, in *messagesInput) (*messagesOutput, error) {
	ctx, session, err := r.open(ctx, audit.ConversationRead, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	out, err := r.messages.page(ctx, session, in)
	if err == nil {
		out.Body.Owner = auth.OwnerName(session.Owner)
	}
	return out, err
}

func (r readings) export(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	ctx, session, err := r.open(ctx, audit.ConversationExported, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	return r.exports.send(ctx, session, in)
}
