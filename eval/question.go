package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"docent/rag/talk"

	"docent/internal/fault"
)

const (
	// maxLine bounds a line of a question set in bytes.
	maxLine = 1 << 20
	// maxQuestions bounds a question set.
	maxQuestions = 100_000
	// maxEvidence bounds the quotes of a question.
	maxEvidence = 100
)

// Unanswerable is the kind of questions that the corpus does not answer; they
// have no evidence. All other kinds are free text.
const Unanswerable = "unanswerable"

// Question is one question with what a good answer to it needs.
type Question struct {
	// ID is unique in its set.
	ID string `json:"id"`
	// Kind groups questions in reports.
	Kind string `json:"kind"`
	// Text is what the user asks.
	Text string `json:"question"`
	// History are the earlier turns, oldest first.
	History []Turn `json:"history"`
	// Answer is a right answer, for people to compare with.
	Answer string `json:"answer"`
	// Facts are short strings that a right answer contains.
	Facts []string `json:"facts"`
	// Evidence are the passages that support the answer; none if the question
	// is Unanswerable.
	Evidence []Evidence `json:"evidence"`
	// Line is where it stands in its file, counted from 1.
	Line int `json:"-"`
}

// Turn is an earlier message of a conversation.
type Turn struct {
	// Role is "user" or "assistant".
	Role talk.Role `json:"role"`
	// Text is what was said.
	Text string `json:"text"`
}

// Evidence is a passage of the corpus, word for word.
type Evidence struct {
	// File names the document: the end of its path, or the id of a document in
	// a file of JSON lines.
	File string `json:"file"`
	// Anchor narrows the place down for people.
	Anchor string `json:"anchor"`
	// Quote is the passage.
	Quote string `json:"quote"`
}

// Load reads a question set from a file.
func Load(path string) ([]Question, error) {
	f, err := os.Open(path)
	if err != nil {
		kind := fault.Internal
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			kind = fault.Invalid
		}
		return nil, fault.Wrap(kind, err, "eval_questions_unreadable", "cannot read the questions %s", path)
	}
	defer func() { _ = f.Close() }()
	questions, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("questions %s: %w", path, err)
	}
	return questions, nil
}

// Parse reads a question set. Empty lines are left out; an error names the line.
func Parse(r io.Reader) ([]Question, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var out []Question
	seen := map[string]int{}
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		q := Question{Line: n}
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, fault.New(fault.Invalid, "eval_not_a_question", "line %d: not a question: %v", n, err)
		}
		if err := q.check(); err != nil {
			return nil, fault.New(fault.Invalid, "eval_line", "line %d: %v", n, err)
		}
		if first, ok := seen[q.ID]; ok {
			return nil, fault.New(fault.Invalid, "eval_id_twice", "line %d: id %q is on line %d already", n, q.ID, first)
		}
		seen[q.ID] = n
		if out = append(out, q); len(out) > maxQuestions {
			return nil, fault.New(fault.Invalid, "eval_too_many_questions", "line %d: more than %d questions", n, maxQuestions)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fault.New(fault.Invalid, "eval_line_too_long", "line %d: longer than %d bytes", n+1, maxLine)
		}
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "eval_questions_empty", "there are no questions in it")
	}
	return out, nil
}

// check says what a question lacks.
func (q *Question) check() error {
	switch {
	case q.ID == "":
		return errors.New("the question has no id")
	case strings.TrimSpace(q.Text) == "":
		return fmt.Errorf("%s has no question", q.ID)
	case q.Kind == "":
		return fmt.Errorf("%s has no kind", q.ID)
	case q.Kind == Unanswerable && len(q.Evidence) > 0:
		return fmt.Errorf("%s is unanswerable and has evidence", q.ID)
	case q.Kind != Unanswerable && len(q.Evidence) == 0:
		return fmt.Errorf("%s has no evidence", q.ID)
	case len(q.Evidence) > maxEvidence:
		return fmt.Errorf("%s has more than %d pieces of evidence", q.ID, maxEvidence)
	}
	for i, e := range q.Evidence {
		if e.File == "" || strings.TrimSpace(e.Quote) == "" {
			return fmt.Errorf("%s: evidence %d lacks its file or quote", q.ID, i+1)
		}
	}
	for i, f := range q.Facts {
		if strings.TrimSpace(f) == "" {
			return fmt.Errorf("%s: fact %d is empty", q.ID, i+1)
		}
	}
	for i, t := range q.History {
		if t.Role != talk.User && t.Role != talk.Assistant {
			return fmt.Errorf("%s: turn %d is by %q, want %q or %q", q.ID, i+1, t.Role, talk.User, talk.Assistant)
		}
	}
	return nil
}

// Answerable reports whether the corpus answers the question.
func (q *Question) Answerable() bool { return q.Kind != Unanswerable }

// Odd reports whether the number that the ID ends with is odd, or, if it ends
// with none, the line's. Odd questions set thresholds, even ones report them.
func (q *Question) Odd() bool {
	digits := q.ID[len(strings.TrimRight(q.ID, "0123456789")):]
	if digits == "" {
		digits = strconv.Itoa(q.Line)
	}
	return (digits[len(digits)-1]-'0')%2 == 1
}

// Turns returns the history as retrieval takes it.
func (q *Question) Turns() []talk.Turn {
	turns := make([]talk.Turn, len(q.History))
	for i, t := range q.History {
		turns[i] = talk.Turn{Role: t.Role, Text: t.Text}
	}
	return turns
}
