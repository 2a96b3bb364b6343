package api

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"docent/agent/session/journal"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// Session is a conversation in a list. The first five keys are those of the
// BESSER Agentic Framework's React client.
type Session struct {
	// ID is the row's id.
	ID int64 `json:"id"`
	// SessionID is the public id.
	SessionID string `json:"session_id"`
	// Agent is the name of the agent.
	Agent string `json:"agent_name"`
	// SessionName is the display name; null without one.
	SessionName *string `json:"session_name"`
	// First is the beginning of the user's first text, at most 100 characters, as
	// a title for sessions without a name; absent without such a text.
	First string `json:"first,omitempty"`
	// PlatformName is the platform of the session.
	PlatformName string `json:"platform_name"`
	// Timestamp is the time of its last use.
	Timestamp time.Time `json:"timestamp"`
	// Pinned reports whether lists show it first.
	Pinned bool `json:"pinned"`
	// Archived reports whether lists of open sessions leave it out; absent if not.
	Archived bool `json:"archived,omitempty"`
	// Folder is the name of the user's folder with the session; absent without one.
	Folder string `json:"folder,omitempty"`
	// Messages is the number of messages.
	Messages int `json:"messages"`
	// Solved is the number of questions that had no answer, and have one now; absent without them.
	Solved int `json:"solved,omitempty" doc:"The number of questions that had no answer, and have one now. Absent without them. Only in GET /api/sessions."`
	// Owner is the principal that created it; absent if authentication was off.
	Owner string `json:"owner,omitempty"`
	// Found is the newest message that contains the text of the search; absent if only the name does, and without a search.
	Found *Found `json:"found,omitempty"`
}

// Found is a message that a search has found.
type Found struct {
	// Seq and Turn are those of the message.
	Seq  int64 `json:"seq"`
	Turn int64 `json:"turn"`
	// IsUser reports whether the user wrote the message.
	IsUser bool `json:"is_user"`
	// Text is the part around the first match, as written: it can be Markdown.
	Text string `json:"text" doc:"The part around the first match, in one line. It can be Markdown. An ellipsis stands for each omitted end."`
}

// listTimeout bounds the search for sessions, which compares texts one by one.
const listTimeout = 10 * time.Second

type sessionsInput struct {
	Agent    string `query:"agent_name" maxLength:"255" doc:"Lists only sessions of this agent."`
	Username string `query:"username" maxLength:"255" doc:"Lists only sessions of this user."`
	Owner    string `query:"owner" maxLength:"1000" doc:"Lists only sessions of this principal. With authentication, you have only your own sessions, so the list is empty for other principals."`
	Spoken   bool   `query:"spoken" doc:"Lists only sessions with a message of a user or an event of a trigger."`
	Archived string `query:"archived" enum:"open,archived,all" default:"open" doc:"Lists only sessions that are not archived, only archived ones, or all."`
	Match    string `query:"match" maxLength:"200" doc:"Lists only sessions with this text in the name, in messages of users, or in answers that are text, Markdown, or based on documents. Case is ignored, and no character has a special meaning."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
}

type sessionsOutput struct {
	Body []Session
}

type sessionInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
}

// The inputs below repeat the fields of sessionInput, because huma ignores
// embedded structs that are not exported.

type deleteSessionInput struct {
	SessionID string `query:"session_id" required:"true" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
}

type changeInput struct {
	route.JSONBody
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
	Body      struct {
		SessionName *string `json:"session_name,omitempty" maxLength:"200" doc:"The display name. An empty name removes it. Without it, the name stays."`
		Pinned      *bool   `json:"pinned,omitempty" doc:"Whether lists show the session first. Without it, the value stays."`
		Archived    *bool   `json:"archived,omitempty" doc:"Whether lists of open sessions leave it out. A new message takes it back. Without it, the value stays."`
		Folder      *string `json:"folder,omitempty" maxLength:"60" doc:"The name of the folder. An empty name takes the session out of its folder. Without it, the folder stays."`
	} `nameHint:"SessionChange"`
}

// ownedSessions checks who may use a session.
type ownedSessions struct {
	directory journal.Directory
	agents    []string // of this server, the default first
}

// key returns the key of the session in a request. If the request names no agent, the stored session decides. A session
// that the caller may use comes before others, and then an agent of this server.
func (o ownedSessions) key(ctx context.Context, id, agent string) (journal.SessionKey, error) {
	key := journal.SessionKey{Agent: cmp.Or(agent, o.agents[0]), ID: id}
	if err := route.CheckText("session_id", id, "agent_name", agent); err != nil || agent != "" || id == "" {
		return key, err
	}
	stored, err := o.directory.Sessions(ctx, journal.SessionFilter{ID: id, Latest: true})
	if err != nil || len(stored) == 0 {
		return key, err
	}
	p, known := auth.FromContext(ctx)
	others := func(s journal.SessionRecord) bool { return !known || !p.Owns(s.Owner) }
	if slices.ContainsFunc(stored, func(s journal.SessionRecord) bool { return !others(s) }) {
		stored = slices.DeleteFunc(stored, others)
	}
	for _, name := range o.agents {
		if slices.ContainsFunc(stored, func(s journal.SessionRecord) bool { return s.Key.Agent == name }) {
			key.Agent = name
			return key, nil
		}
	}
	return stored[0].Key, nil
}

// find returns a session that the caller may use. For others the session looks
// as if it did not exist.
func (o ownedSessions) find(ctx context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	record, err := o.directory.Session(ctx, key)
	if err != nil {
		return journal.SessionRecord{}, err
	}
	if p, known := auth.FromContext(ctx); !known || !p.Owns(record.Owner) {
		return journal.SessionRecord{}, fault.New(fault.NotFound, "no_session", "there is no such session")
	}
	return record, nil
}

// search returns the sessions that a filter selects. It does not check who may use them.
func (o ownedSessions) search(ctx context.Context, filter journal.SessionFilter) ([]journal.SessionRecord, error) {
	within, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	records, err := o.directory.Sessions(within, filter)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return nil, fault.Wrap(fault.Unavailable, err,
			"session_search_slow", "searching the conversations took too long; try again, or search for another text")
	}
	return records, err
}

// listOwner returns the owner whose sessions the caller may list; an empty owner
// means all sessions. none says that there are no sessions to list.
func listOwner(ctx context.Context, asked string) (owner string, none bool) {
	p, _ := auth.FromContext(ctx)
	if p.OwnsAll() {
		return asked, false
	}
	return p.ID, p.ID == "" || (asked != "" && asked != p.ID)
}

// owned yields the sessions of an owner, the last used first. Without authentication, these
// are all sessions.
func (o ownedSessions) owned(ctx context.Context, owner string) iter.Seq2[journal.SessionRecord, error] {
	return func(yield func(journal.SessionRecord, error) bool) {
		filter := journal.SessionFilter{Owner: owner, Latest: true, Limit: ownedPage}
		for {
			page, err := o.directory.Sessions(ctx, filter)
			if err != nil {
				yield(journal.SessionRecord{}, err)
				return
			}
			for _, s := range page {
				if filter.Past = &s; !yield(s, nil) {
					return
				}
			}
			if len(page) < ownedPage {
				return
			}
		}
	}
}

// ownedPage is the number of sessions that owned reads at once.
const ownedPage = 200

// deleteAll deletes all sessions of an owner.
func (o ownedSessions) deleteAll(ctx context.Context, owner string) error {
	for s, err := range o.owned(ctx, owner) {
		if err == nil {
			err = o.directory.DeleteSession(ctx, s.Key)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound { // the owner may delete it, too
			return err
		}
	}
	return nil
}

// sessions handles the routes for sessions.
type sessions struct {
	ownedSessions
	solved solutions
}

func (s sessions) addRoutes(r *route.Router) {
	const list, one = "/api/sessions", "/api/sessions/{session_id}"
	tags, missing := []string{"sessions"}, []int{http.StatusNotFound}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-sessions", Tags: tags,
		Summary: "List sessions: pinned sessions first, then by last use",
	}, s.list)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: list, OperationID: "delete-session-by-query", Tags: tags, Summary: "Delete a session", Errors: missing,
		Description: "The same as DELETE /api/sessions/{session_id}, in the form of the BESSER Agentic Framework's React client.",
	}, func(ctx context.Context, in *deleteSessionInput) (*struct{}, error) {
		return s.delete(ctx, &sessionInput{in.SessionID, in.Agent})
	})
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-session", Tags: tags, Summary: "Delete a session", Errors: missing,
	}, s.delete)
	route.Add(r, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "rename-session", Tags: tags,
		Summary: "Name, pin, or archive a session, or put it into a folder", Errors: missing,
	}, s.change)
}

// change changes how lists show a session, which does not count as its last use.
func (s sessions) change(ctx context.Context, in *changeInput) (*struct{}, error) {
	change := journal.SessionChange{
		Name: in.Body.SessionName, Pinned: in.Body.Pinned, Archived: in.Body.Archived, Folder: in.Body.Folder,
	}
	key, err := s.key(ctx, in.SessionID, in.Agent)
	switch {
	case err != nil:
	case change == journal.SessionChange{}:
		err = fault.New(fault.Invalid, "nothing_to_change", "the request changes nothing; send session_name, pinned, archived, or folder")
	}
	for field, text := range map[string]*string{"session_name": change.Name, "folder": change.Folder} {
		if err == nil && text != nil {
			err = route.CheckText(field, *text)
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.find(ctx, key); err != nil {
		return nil, err
	}
	return nil, s.directory.ChangeSession(ctx, key, change)
}

func (s sessions) list(ctx context.Context, in *sessionsInput) (*sessionsOutput, error) {
	if err := route.CheckText("agent_name", in.Agent, "username", in.Username, "owner", in.Owner, "match", in.Match); err != nil {
		return nil, err
	}
	out := &sessionsOutput{Body: []Session{}}
	owner, none := listOwner(ctx, in.Owner)
	if none {
		return out, nil
	}
	records, err := s.search(ctx, journal.SessionFilter{
		Agent: in.Agent, Username: in.Username, Owner: owner, Spoken: in.Spoken, Archive: archives[in.Archived],
		Match: strings.TrimSpace(in.Match), Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(records))
	for i, r := range records {
		rows[i] = r.RowID
		out.Body = append(out.Body, sessionShape(r))
	}
	turns, err := s.solved.turns(ctx, rows...)
	for i := range out.Body {
		out.Body[i].Solved = len(turns[rows[i]])
	}
	return out, err
}

// archives has the selections by their name.
var archives = map[string]journal.Archive{"open": journal.ArchiveOpen, "archived": journal.ArchiveOnly, "all": journal.ArchiveAny}

// sessionShape returns the JSON of a session.
func sessionShape(r journal.SessionRecord) Session {
	out := Session{
		ID: r.RowID, SessionID: r.Key.ID, Agent: r.Key.Agent, SessionName: nullable(r.Name), First: r.First, PlatformName: r.Platform,
		Timestamp: r.UpdatedAt.UTC(), Pinned: r.Pinned, Archived: r.Archived, Folder: r.Folder, Messages: r.Messages, Owner: r.Owner,
	}
	if f := r.Found; f != nil {
		out.Found = &Found{Seq: f.Seq, Turn: f.Turn, IsUser: f.IsUser, Text: f.Text}
	}
	return out
}

func (s sessions) delete(ctx context.Context, in *sessionInput) (*struct{}, error) {
	key, err := s.key(ctx, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	if _, err := s.find(ctx, key); err != nil {
		return nil, err
	}
	return nil, s.directory.DeleteSession(ctx, key)
}
