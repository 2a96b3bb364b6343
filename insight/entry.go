package insight

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"docent/agent/chat"
	"docent/payload"
	"docent/rag/text"
)

// entryOf returns the facts of an answer. It returns false for replies without documents.
func entryOf(a Answer, m payload.RAGMessage) (Entry, bool) {
	question := strings.TrimSpace(m.Question)
	if question == "" || m.Stopped || m.Outcome == payload.AnswerReplied || m.Outcome == "" {
		return Entry{}, false
	}
	a.Question, a.Outcome, a.Evidence = shortened(question), m.Outcome, m.Evidence
	a.Language = text.Language(a.Question)
	e := Entry{Answer: a, Asked: m.Collections}
	seen := map[int64]bool{}
	for _, d := range m.Docs {
		id := d.Metadata.DocumentID
		switch {
		case d.Metadata.File != 0 || id <= 0:
			e.Private = true
		case !seen[id]:
			seen[id] = true
			e.Documents = append(e.Documents, id)
		}
	}
	if m.Outcome != payload.AnswerNotFound {
		e.Cited = citedBy(m)
	}
	return e, true
}

// citedBy returns the ids of the documents that an answer cites, in order.
func citedBy(m payload.RAGMessage) []int64 {
	var out []int64
	for _, s := range m.Sentences {
		for _, n := range s.Docs {
			if n < 1 || n > len(m.Docs) {
				continue
			}
			if of := m.Docs[n-1].Metadata; of.DocumentID > 0 && of.File == 0 {
				out = append(out, of.DocumentID)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shortened returns the kept part of a question.
func shortened(question string) string {
	if len(question) <= MaxQuestion {
		return question
	}
	return strings.ToValidUTF8(question[:MaxQuestion], "") + "…"
}

// spoken returns the facts of an answer in a conversation. Facts before a time are forgotten.
func spoken(s Said, before time.Time) (Entry, bool) {
	var m payload.RAGMessage
	if json.Unmarshal(s.Content, &m) != nil {
		return Entry{}, false // the conversation has it, but it has no facts
	}
	a := s.Answer
	switch {
	case s.Sender == chat.SenderAgent:
		a.Channel = Agent
	case a.Channel == "":
		a.Channel = WebSocket // sessions of earlier versions
	}
	e, ok := entryOf(a, m)
	e.Forgotten = a.Time.Before(before)
	return e, ok
}
