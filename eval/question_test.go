package eval

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"docent/rag/talk"

	"docent/internal/fault"
)

func loadTiny(t testing.TB) []Question {
	t.Helper()
	questions, err := Load("testdata/tiny.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return questions
}

func TestLoad(t *testing.T) {
	t.Parallel()
	questions := loadTiny(t)
	if len(questions) != 4 {
		t.Fatalf("%d questions", len(questions))
	}
	q := questions[2]
	want := Question{
		ID: "t-003", Kind: "followup", Text: "and on Windows?", Answer: "%APPDATA%.", Facts: []string{"%APPDATA%"}, Line: 4,
		History:  []Turn{{talk.User, "where is pgpass?"}, {talk.Assistant, "In your home."}},
		Evidence: []Evidence{{File: "pgpass", Quote: `%APPDATA%\postgresql`}},
	}
	if !reflect.DeepEqual(q, want) {
		t.Errorf("got %+v, want %+v", q, want)
	}
	if turns := q.Turns(); len(turns) != 2 || turns[1] != (talk.Turn{Role: talk.Assistant, Text: "In your home."}) {
		t.Errorf("turns %+v", turns)
	}
	if questions[3].Answerable() || !q.Answerable() {
		t.Error("answerable is the wrong way about")
	}
}

func TestOdd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id   string
		line int
		odd  bool
	}{{"pg-001", 2, true}, {"pg-238", 1, false}, {"10", 1, false}, {"3", 2, true}, {"56beb4aaa14008c925f", 3, true}, {"abc", 4, false}} {
		q := Question{ID: c.id, Line: c.line}
		if q.Odd() != c.odd {
			t.Errorf("%s on line %d: odd is %v", c.id, c.line, q.Odd())
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	good := `{"id":"a","kind":"k","question":"q","evidence":[{"file":"f","quote":"x"}]}`
	for _, c := range []struct{ text, says string }{
		{"", "no questions"},
		{"\n \n", "no questions"},
		{"{", "line 1"},
		{good + "\n[]", "line 2"},
		{good + "\n" + good, `id "a" is on line 1`},
		{`{"kind":"k","question":"q"}`, "no id"},
		{`{"id":"a","kind":"k","question":" "}`, "no question"},
		{`{"id":"a","question":"q"}`, "no kind"},
		{`{"id":"a","kind":"k","question":"q"}`, "no evidence"},
		{`{"id":"a","kind":"unanswerable","question":"q","evidence":[{"file":"f","quote":"x"}]}`, "unanswerable and has evidence"},
		{`{"id":"a","kind":"k","question":"q","evidence":[{"file":"f"}]}`, "evidence 1"},
		{`{"id":"a","kind":"k","question":"q","evidence":[{"quote":"x"}]}`, "evidence 1"},
		{`{"id":"a","kind":"unanswerable","question":"q","facts":[""]}`, "fact 1"},
		{`{"id":"a","kind":"unanswerable","question":"q","history":[{"role":"system","text":"x"}]}`, `by "system"`},
		{`{"id":"` + strings.Repeat("a", maxLine) + `"}`, "longer than"},
	} {
		questions, err := Parse(strings.NewReader(c.text))
		if err == nil || questions != nil || !strings.Contains(err.Error(), c.says) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.60q: %v, want …%s…", c.text, err, c.says)
		}
	}
	if q, err := Parse(strings.NewReader("\ufeff" + good + "\r\n")); err != nil || len(q) != 1 {
		t.Errorf("byte order mark and CRLF: %v", err)
	}
	if _, err := Load("testdata/none.jsonl"); fault.KindOf(err) != fault.Invalid || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// The included sets are complete: their counts match their READMEs, and the
// answers contain the facts.
func TestSets(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]struct{ questions, unanswerable, quotes, facts int }{
		"sets/pgdocs/questions.jsonl":  {238, 16, 314, 289},
		"sets/pgxcode/questions.jsonl": {110, 7, 146, 136},
		"sets/postfix/questions.jsonl": {120, 40, 104, 119},
		"sets/tables/questions.jsonl":  {91, 15, 182, 109},
		"sets/gnucash/questions.jsonl": {62, 20, 42, 49},
		"sets/gimp/questions.jsonl":    {62, 20, 43, 45},
	} {
		questions, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		got := want
		got.questions, got.unanswerable, got.quotes, got.facts = len(questions), 0, 0, 0
		for _, q := range questions {
			count(&got.unanswerable, !q.Answerable())
			got.quotes += len(q.Evidence)
			for _, f := range q.Facts {
				got.facts++
				if !HasFact(q.Answer, f) {
					t.Errorf("%s: fact %q is not in its answer", q.ID, f)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"id":"a","kind":"k","question":"q","evidence":[{"file":"f","quote":"x"}],"history":[{"role":"user","text":"t"}]}`)
	f.Add("{}\n[]\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		questions, err := Parse(strings.NewReader(text))
		if err != nil {
			if questions != nil {
				t.Fatal("questions beside an error")
			}
			return
		}
		for _, q := range questions {
			_ = q.Odd()
			j := newJudge(q)
			j.judge(newPassage(q.Text, q.Answer+q.Text))
			for _, fact := range q.Facts {
				HasFact(q.Answer, fact)
			}
		}
	})
}
