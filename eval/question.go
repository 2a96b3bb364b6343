package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"docent/rag/talk"

	"docent/internal/fault"
)

const (
	// maxLine limits a line of a question set in bytes.
	maxLine = 1 << 20
	// maxQuestions limits the questions of a set.
	maxQuestions = 100_000
	// maxEvidence limits the quotes of a question.
	maxEvidence = 100
)

// Unanswerable is the kind of questions that the corpus does not answer. They have no evidence. Other kinds have any name.
const Unanswerable = "unanswerable"

// Question is a question with the properties of a good answer.
type Question struct {
	// ID is unique in the set.
	ID string `json:"id"`
	// Kind groups questions in reports.
	Kind string `json:"kind"`
	// Text is the user's question.
	Text string `json:"question"`
	// History are the earlier turns, oldest first.
	History []Turn `json:"history"`
	// Answer is a correct answer for human readers.
	Answer string `json:"answer"`
	// Facts are short strings in a correct answer.
	Facts []string `json:"facts"`
	// Evidence are the passages that support the answer. Unanswerable questions have none.
	Evidence []Evidence `json:"evidence"`
	// Also are other passages that support the answer. One of them counts as much as a missing piece of Evidence, but none is
	// needed.
	Also []Evidence `json:"also"`
	// Line is the line number in the file, counted from 1.
	Line int `json:"-"`
}

// Turn is an earlier message of a conversation.
type Turn struct {
	// Role is "user" or "assistant".
	Role talk.Role `json:"role"`
	// Text is the text of the message.
	Text string `json:"text"`
}

// Evidence is a literal passage of the corpus.
type Evidence struct {
	// File identifies the document: the end of its path, or its id in a file of JSON lines.
	File string `json:"file"`
	// Anchor helps human readers find the place.
	Anchor string `json:"anchor"`
	// Quote is the text of the passage.
	Quote string `json:"quote"`
}

// Load reads a question set from a file.
func Load(path string) ([]Question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "eval_questions_unreadable", "cannot read the questions %s", path)
	}
	defer func() { _ = f.Close() }()
	questions, err := Parse(f)
	switch {
	case err != nil && fault.KindOf(err) != fault.Invalid: // such as a folder
		return nil, fault.Wrap(fault.Invalid, err, "eval_questions_unreadable", "cannot read the questions %s", path)
	case err != nil:
		return nil, fmt.Errorf("questions %s: %w", path, err)
	}
	return questions, nil
}

// Parse reads a question set and skips empty lines. Errors name the line.
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
		return nil, fault.New(fault.Invalid, "eval_questions_empty", "it contains no questions")
	}
	return out, nil
}

// check validates a question.
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
	case q.Kind == Unanswerable && len(q.Also) > 0:
		return fmt.Errorf("%s is unanswerable and has other passages", q.ID)
	case len(q.Evidence)+len(q.Also) > maxEvidence:
		return fmt.Errorf("%s has more than %d pieces of evidence", q.ID, maxEvidence)
	}
	for i, e := range slices.Concat(q.Evidence, q.Also) {
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

// Odd reports whether the number at the end of the ID is odd. Without a number it uses the line. Odd questions set
// thresholds, and even questions measure them.
func (q *Question) Odd() bool {
	digits := q.ID[len(strings.TrimRight(q.ID, "0123456789")):]
	if digits == "" {
		digits = strconv.Itoa(q.Line)
	}
	return (digits[len(digits)-1]-'0')%2 == 1
}

// Turns returns the history in the form that retrieval uses.
func (q *Question) Turns() []talk.Turn {
	turns := make([]talk.Turn, len(q.History))
	for i, t := range q.History {
		turns[i] = talk.Turn{Role: t.Role, Text: t.Text}
	}
	return turns
}
