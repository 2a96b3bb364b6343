package api

import (
	"context"
	"encoding/json"
	"slices"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/auth"
	"docent/auth/rights/enforce"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/text"
)

// maxShared bounds the content of a shared conversation, in bytes, and maxSharedMessage
// that of one message.
const (
	maxShared        = 8 << 20
	maxSharedMessage = 1 << 20
)

// sharedView decides which messages of a conversation the reader of a share sees. It is for
// one reader, and gets all messages from the beginning, in order.
//
// An answer of quotes is shown if the reader may read every quoted passage. A model saw all
// passages and the earlier messages, so its answer is shown only if the reader may read all of
// them. A text without passages, such as a list of documents, is shown if the reader may read
// all collections that the owner may read, and if the earlier messages are shown.
type sharedView struct {
	files  bool // the owner shares answers from attached files
	public bool // the reader has not signed in
	equal  bool // the reader may read all collections of the owner
	hidden bool // an earlier message has text that the reader may not see

	fileTurn int64 // the turn of the latest attached file
}

// withheld is the content of answers that the reader may not see.
var withheld = fault.NewText("share_withheld", "This answer is not available to you, because it uses documents or files that you may not read.")

// see returns a message as the reader sees it. shown is false for answers that are withheld.
func (v *sharedView) see(m agent.ChatMessage) (seen agent.ChatMessage, shown bool) {
	seen = m
	seen.ClientID = ""
	switch {
	case m.IsUser && m.Type == payload.TypeFile:
		v.hidden, v.fileTurn = v.hidden || !v.files, m.Turn
		seen.Content = nil
		if f, err := payload.DecodeFile(m.Content); err == nil && v.files {
			seen.Content, _ = payload.Marshal(payload.File{Name: f.Name, Type: f.Type})
		}
		return seen, true
	case m.IsUser && m.Sender == "":
		seen.Type, seen.Content = payload.TypeStr, chat.JSONString(m.Said())
		return seen, true
	case m.Content == nil: // too large
		shown = false
	case m.Type == payload.TypeRAG:
		seen.Content, shown = v.answer(m.Content)
	case m.Sentence.ID != "" && len(m.Sentence.Params) == 0: // docent's own words
		return seen, true
	case m.Sentence.ID != "" && m.Turn == v.fileTurn && v.files: // docent has read the file
		return seen, true
	default:
		shown = v.equal && !v.hidden
	}
	if !shown {
		v.hidden = true
		seen.Type, seen.Content, seen.Sentence = payload.TypeStr, chat.JSONString(withheld.Message), withheld.Sentence
	}
	return seen, shown
}

// answer returns an answer without the parts that tell about the server and the search.
func (v *sharedView) answer(content json.RawMessage) (json.RawMessage, bool) {
	var a payload.RAGMessage
	if json.Unmarshal(content, &a) != nil {
		return nil, false
	}
	quoted := quotedPassages(a)
	if v.hidden && quoted == nil || len(a.Docs) == 0 && !v.equal {
		return nil, false
	}
	for i := range a.Docs {
		m := &a.Docs[i].Metadata
		if m.Unavailable || m.DocumentID == 0 && !v.files {
			if quoted == nil || quoted[i+1] {
				return nil, false
			}
			a.Docs[i] = payload.RAGDoc{Metadata: payload.RAGMetadata{Source: enforce.Unavailable, Title: enforce.Unavailable, Unavailable: true}}
			continue
		}
		m.Source = corpus.ShortSource(m.Source)
		if v.public {
			m.DocumentID, m.ChunkID = 0, 0
		}
	}
	seen, err := payload.Marshal(payload.RAGMessage{ // without the search and the reasoning
		LLMName: a.LLMName, Question: a.Question, Answer: a.Answer, Docs: a.Docs, Sentences: a.Sentences,
		Abstained: a.Abstained, Outcome: a.Outcome, Lead: a.Lead, Stopped: a.Stopped, Evidence: a.Evidence,
	})
	return seen, err == nil
}

// quotedPassages returns the numbers of the passages that an answer without a model quotes. It
// returns nil if the text may also come from elsewhere.
func quotedPassages(a payload.RAGMessage) map[int]bool {
	if a.LLMName != rag.Extractive || a.Evidence == nil || a.Abstained {
		return nil
	}
	out := map[int]bool{}
	for _, n := range text.Marked(a.Answer, len(a.Docs)) {
		out[n] = true
	}
	for _, s := range a.Sentences {
		for _, n := range s.Docs {
			out[n] = true
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// sharedMessages returns the messages of a session up to a turn and a seq, oldest first. Other
// versions of the questions are left out, also if they are shown meanwhile.
func (s shares) sharedMessages(ctx context.Context, session, turn, seq int64) ([]agent.ChatMessage, error) {
	branches, err := s.versions.Branches(ctx, session)
	if err != nil {
		return nil, err
	}
	path := branches.To(turn)
	query := journal.MessageQuery{Before: seq + 1, Bytes: exportBytes, MaxContent: maxSharedMessage, Replaced: true}
	var all []agent.ChatMessage
	for size := 0; ; {
		page, err := s.messages.Messages(ctx, session, query)
		if err != nil || len(page) == 0 {
			return all, err
		}
		for _, m := range page {
			query.After = m.Seq
			if _, has := slices.BinarySearch(path, m.Turn); !has && m.Turn > 0 {
				continue
			}
			if size += len(m.Content); size > maxShared {
				return nil, fault.New(fault.Invalid, "share_too_long", "the conversation is too long to be shared; export it instead")
			}
			all = append(all, m)
		}
	}
}

// lastTurn returns the newest shown turn with a message, or 0.
func (s shares) lastTurn(ctx context.Context, record journal.SessionRecord) (turn int64, err error) {
	query := journal.MessageQuery{Before: record.Seq + 1, Last: lastShown, MaxContent: journal.NoContent}
	shown, err := s.messages.Messages(ctx, record.RowID, query)
	for _, m := range shown { // a waiting message is stored before the reply of the running turn
		turn = max(turn, m.Turn)
	}
	return turn, err
}

// lastShown bounds the messages that lastTurn reads.
const lastShown = 100

// view returns the messages of a share for the reader of ctx. missing is the number of
// withheld ones.
func (s shares) view(ctx context.Context, share journal.Share, v sharedView) (seen []agent.ChatMessage, missing int, err error) {
	all, err := s.sharedMessages(ctx, share.Session, share.Turn, share.Seq)
	if err != nil {
		return nil, 0, err
	}
	// The greeting before the first message is not part of a share.
	all = all[max(0, slices.IndexFunc(all, func(m agent.ChatMessage) bool { return m.IsUser })):]
	for _, m := range all {
		m, shown := v.see(m)
		if m.Turn > share.Turn || share.Only && m.Turn != share.Turn {
			continue
		}
		if !shown {
			missing++
		}
		seen = append(seen, m)
	}
	return seen, missing, nil
}

// readsAll reports whether the reader of ctx may read all collections that an owner may read.
func (s shares) readsAll(ctx context.Context, owner string) (bool, error) {
	readable, err := s.library.Collections(ctx)
	if err != nil {
		return false, err
	}
	names := map[string]bool{}
	for _, c := range readable {
		names[c.Name] = true
	}
	owned, err := s.library.Collections(corpus.WithReader(ctx, corpus.Reader{Principal: owner}))
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(owned, func(c corpus.CollectionInfo) bool { return !names[c.Name] }), nil
}

// reader returns the context and the view of the reader of a share. It fails if the reader
// has to sign in.
func (s shares) reader(ctx context.Context, share journal.Share) (context.Context, sharedView, error) {
	v := sharedView{files: share.Files}
	p, known := auth.FromContext(ctx)
	switch {
	case known && p.May(auth.Ask):
	case share.Public && s.public:
		v.public = true
		ctx = corpus.WithReader(ctx, corpus.Reader{Limited: true})
	case !known:
		return ctx, v, fault.New(fault.Unauthorized, "share_sign_in", "sign in to read this link")
	default:
		return ctx, v, fault.New(fault.Forbidden, "share_scope", "reading a shared link needs the scope ask")
	}
	equal, err := s.readsAll(ctx, share.Owner)
	v.equal = equal
	return ctx, v, err
}
