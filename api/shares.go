package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/api/route"
	"docent/auth"
	"docent/auth/audit"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// MaxPublicDays bounds the time for which a public link is valid.
const MaxPublicDays = 90

// Share is a link with which others read an answer or a conversation.
type Share struct {
	// ID is the part of the address that nobody can guess.
	ID string `json:"id" doc:"The id. The address of the link is #/shared/ID on the page."`
	// SessionID is the session.
	SessionID string `json:"session_id"`
	// Name is the title of the conversation at the time of sharing.
	Name string `json:"name"`
	// Turn is the last shared turn.
	Turn int64 `json:"turn" doc:"The last shared turn."`
	// Only reports that only this turn is shared.
	Only bool `json:"only" doc:"Only this turn is shared, without the earlier ones."`
	// Files reports that answers from attached files are shared.
	Files bool `json:"files" doc:"Answers from files that are attached to the conversation are shared."`
	// Public reports that nobody needs to sign in.
	Public bool `json:"public" doc:"Readers do not sign in."`
	// CreatedAt is the time of its creation.
	CreatedAt time.Time `json:"created_at"`
	// ExpiresAt is the time at which it becomes invalid; null if it does not.
	ExpiresAt *time.Time `json:"expires_at"`
}

// NewShare is a share that was just created.
type NewShare struct {
	Share

	// Withheld is the number of answers that nobody sees.
	Withheld int `json:"withheld" doc:"The number of answers in it that no reader sees, because they use attached files that are not shared, or documents that you may no longer read."`
}

// SharedConversation is the content of a share as its reader sees it.
type SharedConversation struct {
	// Name is the title.
	Name string `json:"name"`
	// OwnerName is the name of the owner.
	OwnerName string `json:"owner_name" doc:"The name of the owner. Empty without sign-in."`
	// CreatedAt is the time of sharing.
	CreatedAt time.Time `json:"created_at"`
	// Public reports that the reader did not sign in.
	Public bool `json:"public" doc:"The reader did not sign in, so there are no ids of documents."`
	// Messages are the messages, oldest first.
	Messages []Message `json:"messages" doc:"The messages, oldest first. Answers that you may not read are replaced by a sentence with the id share_withheld."`
}

type shareWishInput struct {
	route.JSONBody
	Body struct {
		SessionID string     `json:"session_id" minLength:"1" maxLength:"255"`
		Agent     string     `json:"agent_name,omitempty" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
		Turn      int64      `json:"turn,omitempty" minimum:"0" doc:"The last turn to share. Without it, all turns are shared."`
		Only      bool       `json:"only,omitempty" doc:"Shares only this turn. Without it, all earlier turns are shared, too."`
		Files     bool       `json:"files,omitempty" doc:"Also shares answers from files that are attached to the conversation."`
		Public    bool       `json:"public,omitempty" doc:"Readers do not sign in. The server must run with --public-links, and the link needs an expiry within 90 days."`
		ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"The time at which the link becomes invalid."`
	} `nameHint:"ShareWish"`
}

type newShareOutput struct{ Body NewShare }

type sharesOutput struct{ Body []Share }

type shareInput struct {
	ID string `path:"share_id" maxLength:"64"`
}

type sharedOutput struct{ Body SharedConversation }

// shares handles the routes for shared links.
type shares struct {
	ownedSessions
	store    journal.Shares
	messages Messages
	versions journal.Versions
	library  corpus.Library
	audit    AuditLog
	log      *slog.Logger
	public   bool // links may be public
}

func (s shares) addRoutes(r *route.Router) {
	const list = "/api/shares"
	tags, missing := []string{"sharing"}, []int{http.StatusNotFound}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-shares", Tags: tags, Summary: "List your shared links, newest first",
	}, s.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "create-share", Tags: tags, Summary: "Share an answer or a conversation",
		Description: "The link shows the messages up to a turn. Later changes do not appear. A reader sees an answer only with the right to read all of its passages.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict}, DefaultStatus: http.StatusCreated,
	}, s.create)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: list + "/{share_id}", OperationID: "delete-share", Tags: tags,
		Summary: "Revoke one of your shared links", Errors: missing,
	}, s.delete)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/shared/{share_id}", OperationID: "read-share", Tags: tags, Summary: "Read a shared link",
		Description: "A link that is not public needs the scope ask.",
		Errors:      []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound},
	}, s.read)
}

// record adds a record to the audit log.
func (s shares) record(ctx context.Context, action audit.Action, session string) error {
	p, _ := auth.FromContext(ctx)
	return s.audit.Add(ctx, audit.Record{Actor: p.ID, Address: auth.RemoteOf(ctx), Action: action, Object: session})
}

func (s shares) create(ctx context.Context, in *shareWishInput) (*newShareOutput, error) {
	key, err := s.key(ctx, in.Body.SessionID, in.Body.Agent)
	if err != nil {
		return nil, err
	}
	record, err := s.find(ctx, key)
	if err != nil {
		return nil, err
	}
	p, _ := auth.FromContext(ctx)
	share := journal.Share{
		ID: rand.Text(), Session: record.RowID, Key: key, Owner: p.ID, Name: record.Name, Turn: in.Body.Turn,
		Only: in.Body.Only, Files: in.Body.Files, Public: in.Body.Public, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	if share.Only {
		share.Name = "" // the name is about the whole conversation
	}
	if share.ExpiresAt, err = s.expiry(in.Body.ExpiresAt, share.Public, share.CreatedAt); err != nil {
		return nil, err
	}
	if share.Turn == 0 {
		if share.Turn, err = s.lastTurn(ctx, record); err != nil {
			return nil, err
		}
	}
	all, err := s.sharedMessages(ctx, record.RowID, share.Turn, record.Seq)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Turn == share.Turn {
			share.Seq = m.Seq
		}
		if share.Name == "" && m.IsUser && (m.Turn == share.Turn || m.Turn < share.Turn && !share.Only) {
			share.Name = m.Said()
		}
	}
	if share.Seq == 0 {
		return nil, fault.New(fault.NotFound, "share_turn_missing", "the conversation has no turn %d", share.Turn)
	}
	share.Name = shortName(share.Name)
	_, missing, err := s.view(ctx, share, sharedView{files: share.Files, equal: true})
	if err != nil {
		return nil, err
	}
	if err := s.record(ctx, audit.ShareCreated, key.ID); err != nil {
		return nil, err
	}
	return &newShareOutput{NewShare{shareShape(share), missing}}, s.store.AddShare(ctx, share)
}

// shortName bounds the title of a share.
func shortName(name string) string {
	if runes := []rune(name); len(runes) > 100 {
		return string(runes[:99]) + "…"
	}
	return name
}

// expiry returns the time at which a link becomes invalid.
func (s shares) expiry(wish *time.Time, public bool, now time.Time) (time.Time, error) {
	switch {
	case public && !s.public:
		return time.Time{}, fault.New(fault.Forbidden, "share_public_off",
			"public links are off; an operator can allow them with docent serve --public-links")
	case public && (wish == nil || wish.After(now.AddDate(0, 0, MaxPublicDays+1))):
		return time.Time{}, fault.New(fault.Invalid, "share_expiry", "a public link needs an expiry within %d days", MaxPublicDays)
	case wish == nil:
		return time.Time{}, nil
	case !wish.After(now):
		return time.Time{}, fault.New(fault.Invalid, "share_expired", "the expiry is in the past")
	}
	return wish.UTC(), nil
}

func (s shares) list(ctx context.Context, _ *struct{}) (*sharesOutput, error) {
	p, _ := auth.FromContext(ctx)
	all, err := s.store.Shares(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	out := &sharesOutput{Body: []Share{}}
	for _, share := range all {
		out.Body = append(out.Body, shareShape(share))
	}
	return out, nil
}

func shareShape(s journal.Share) Share {
	out := Share{
		ID: s.ID, SessionID: s.Key.ID, Name: s.Name, Turn: s.Turn, Only: s.Only, Files: s.Files, Public: s.Public, CreatedAt: s.CreatedAt.UTC(),
	}
	if !s.ExpiresAt.IsZero() {
		at := s.ExpiresAt.UTC()
		out.ExpiresAt = &at
	}
	return out
}

func (s shares) delete(ctx context.Context, in *shareInput) (*struct{}, error) {
	if err := route.CheckText("share_id", in.ID); err != nil {
		return nil, err
	}
	p, _ := auth.FromContext(ctx)
	share, err := s.store.Share(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if share.Owner != p.ID {
		return nil, noShare()
	}
	if err := s.record(ctx, audit.ShareRevoked, share.Key.ID); err != nil {
		return nil, err
	}
	return nil, s.store.RemoveShare(ctx, p.ID, in.ID)
}

func noShare() error {
	return fault.New(fault.NotFound, "no_share", "this link does not exist, has expired, or was revoked")
}

// read returns the content of a share. It records readers who signed in. Anybody can send
// requests for a public link, so these are only in the log of the program.
func (s shares) read(ctx context.Context, in *shareInput) (*sharedOutput, error) {
	if err := route.CheckText("share_id", in.ID); err != nil {
		return nil, err
	}
	share, err := s.store.Share(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	session, err := s.directory.Session(ctx, share.Key)
	if err != nil {
		return nil, err
	}
	if !share.ExpiresAt.IsZero() && !time.Now().Before(share.ExpiresAt) || session.ResetSeq >= share.Seq {
		return nil, noShare()
	}
	p, known := auth.FromContext(ctx)
	ctx, v, err := s.reader(ctx, share)
	if err != nil {
		return nil, err
	}
	switch {
	case v.public:
		s.log.InfoContext(ctx, "public link read", "remote", auth.RemoteOf(ctx), "session", share.Key.ID)
	case known && p.ID != share.Owner:
		if err := s.record(ctx, audit.ShareRead, share.Key.ID); err != nil {
			return nil, err
		}
	}
	seen, _, err := s.view(ctx, share, v)
	if err != nil {
		return nil, err
	}
	out := &sharedOutput{SharedConversation{Name: share.Name, CreatedAt: share.CreatedAt.UTC(), Public: v.public, Messages: []Message{}}}
	if !v.public {
		out.Body.OwnerName = auth.OwnerName(share.Owner)
	}
	for _, m := range seen {
		out.Body.Messages = append(out.Body.Messages, message(m))
	}
	return out, nil
}
