package eval

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"docent/rag/retrieve"

	"docent/rag"
)

// clerk answers questions from a map.
type clerk map[string]rag.Answer

func (c clerk) Run(_ context.Context, r rag.Request) (rag.Answer, error) {
	msg, ok := c[r.Question]
	switch {
	case !ok:
		return msg, errors.New("no answer prepared")
	case r.K != 4 || r.MinEvidence == nil || *r.MinEvidence != 0 || r.History != len(r.Turns):
		return msg, errors.New("not the request that was to be made")
	}
	return msg, nil
}

// message makes an answer. Each sentence cites the passage at the same position.
func message(docs []retrieve.Result, sentences []string, cites [][]int) rag.Answer {
	var msg rag.Answer
	for _, d := range docs {
		msg.Passages = append(msg.Passages, rag.Passage{Passage: d.Passage, Score: d.Score})
	}
	for i, s := range sentences {
		start := len(msg.Text)
		msg.Text += s + "\n"
		msg.Sentences = append(msg.Sentences, rag.Sentence{Start: start, End: start + len(s), Passages: cites[i]})
	}
	return msg
}

func tinyClerk() clerk {
	return clerk{
		"default port?": message([]retrieve.Result{port, noise},
			[]string{"> The server listens on port 5432 unless it is told otherwise. [1]", "That is well known."}, [][]int{{1}, nil}),
		"VACUUM or VACUUM FULL?": message([]retrieve.Result{noise, noise, noise, full},
			[]string{"VACUUM FULL rewrites the table as it pleases [4, 1].", "An invented sentence [9]."}, [][]int{{4, 1}, {9}}),
		"and on Windows?":    message([]retrieve.Result{noise, pgpass}, []string{`- On Windows it is %APPDATA%\postgresql and so on. [2]`}, [][]int{{2}}),
		"who pays for this?": message([]retrieve.Result{noise}, []string{"“nothing of the kind is said here” [1]"}, [][]int{{1}}),
	}
}

func TestMeasureAnswers(t *testing.T) {
	t.Parallel()
	s := shelf{grade: map[string]float64{"default port?": .9, "VACUUM or VACUUM FULL?": .4, "and on Windows?": .6, "who pays for this?": .3}}
	r, err := MeasureAnswers(t.Context(), AnswersConfig{Answerer: tinyClerk(), Retriever: s, Questions: loadTiny(t), Threshold: .35})
	if err != nil {
		t.Fatal(err)
	}
	// Facts: 1 of 1; of "rewrites" and "locks" 1 of 2; 1 of 1. Evidence: port at 1,
	// VACUUM at 4, Windows at 2. Citations: port 1 of 1; VACUUM: five of the
	// sentence's eight words are in full in order, which is too few, none in noise,
	// and there is no passage 9; Windows 1 of 1.
	want := AnswersRow{
		Kind: All, Questions: 3, FactRecall: 2.5 / 3, Complete: 2. / 3,
		Found: 2, FoundComplete: 1, Citations: 5, CitationPrecision: 2. / 5,
	}
	if got := r.Rows[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("all: %+v, want %+v", got, want)
	}
	if len(r.Rows) != 4 || r.Rows[2].Kind != "compare" || r.Rows[2].Found != 0 || r.Rows[2].Questions != 1 {
		t.Errorf("rows %+v", r.Rows)
	}
	if o := r.Outcomes[3]; o.Citations != 1 || o.RightCitations != 1 || o.Rank != 0 || o.Evidence != .3 {
		t.Errorf("unanswerable: %+v", o)
	}
	// Odd: port .9 and Windows .6, of which a tenth, none, may go: .6. Even: .4
	// and the unanswerable .3 are both below; the threshold in force parts them.
	c := r.Calibration
	if c.Odd.Threshold != .6 || c.Odd.Answerable != 0 || c.Even.Unanswerable != 1 || c.Even.Answerable != 1 || c.Even.Coverage != 0 {
		t.Errorf("calibration %+v", c)
	}
	if c.counts != (calibrationCounts{odd: 2, even: 1, evenUnanswerable: 1}) {
		t.Errorf("counts %+v", c.counts)
	}
	if f := c.InForce; f.Unanswerable != 1 || f.Answerable != 0 || f.Coverage != .5 || f.Risk != 0 {
		t.Errorf("in force %+v", f)
	}
	if m := r.Metrics(); m["answers unanswerable turned away"] != 1 || m["answers answerable answered"] != 1 || m["answers lookup found complete"] != 1 {
		t.Errorf("metrics %v", m)
	}
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| all | 3 | .833 | .667 | 2 | 1.000 | 5 | .400 |", "| even, threshold in force | .350 | .500 | .000 | 1.000 | .000 | .000 |", "\n| .450 | .000 |"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

func TestMeasureAnswersFails(t *testing.T) {
	t.Parallel()
	questions := loadTiny(t)
	for name, cfg := range map[string]AnswersConfig{
		"no answerer":  {Retriever: shelf{}, Questions: questions},
		"no retriever": {Answerer: tinyClerk(), Questions: questions},
		"no questions": {Answerer: tinyClerk(), Retriever: shelf{}},
		"no answer":    {Answerer: clerk{}, Retriever: shelf{}, Questions: questions},
		"no retrieval": {Answerer: tinyClerk(), Retriever: shelf{check: func(retrieve.Query) error { return errors.New("no") }}, Questions: questions},
	} {
		if _, err := MeasureAnswers(t.Context(), cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAbstain(t *testing.T) {
	t.Parallel()
	judgements := []judgement{
		{.9, true, true},
		{.8, true, true},
		{.7, true, false},
		{.6, false, false},
		{.5, true, true},
		{.4, true, false},
		{.3, false, false},
		{.2, true, false},
		{.1, true, false},
		{.05, false, false},
	}
	// From .5 on: five are answered, of which the third and fourth without
	// evidence; two of three unanswerable, three of seven answerable and none of
	// three found ones are turned away.
	want := Abstention{Threshold: .5, Coverage: .5, Risk: .4, Unanswerable: 2. / 3, Answerable: 3. / 7}
	if got := abstain(judgements, .5); got != want {
		t.Errorf("at .5: %+v, want %+v", got, want)
	}
	if got := abstain(judgements, 0); got.Coverage != 1 || got.Risk != .7 || got.Unanswerable != 0 {
		t.Errorf("at 0: %+v", got)
	}
	// Answerable evidence in order: .1 .2 .4 .5 .7 .8 .9; three sevenths may go.
	for maxWrong, threshold := range map[float64]float64{0: .1, .14: .1, .15: .2, .43: .5, 1: .9} {
		if got := calibrate(judgements, maxWrong); math.Abs(got-threshold) > 1e-9 {
			t.Errorf("at most %g: threshold %g, want %g", maxWrong, got, threshold)
		}
		if got := abstain(judgements, calibrate(judgements, maxWrong)); got.Answerable > maxWrong {
			t.Errorf("at most %g: %+v", maxWrong, got)
		}
	}
	if calibrate(nil, .1) != 0 || abstain(nil, .5) != (Abstention{Threshold: .5}) {
		t.Error("nothing to judge by gives something")
	}
	for short, counts := range map[string]calibrationCounts{
		"":                                    {odd: 35, even: 35, evenUnanswerable: 16},
		"odd numbers (it has 34)":             {odd: 34, even: 90, evenUnanswerable: 90},
		"35 with even numbers (it has 34)":    {odd: 90, even: 34, evenUnanswerable: 90},
		"16 unanswerable questions with even": {odd: 90, even: 90, evenUnanswerable: 15},
	} {
		if got := (&Calibration{counts: counts}).Short(); (short == "") != (got == "") || !strings.Contains(got, short) {
			t.Errorf("%+v: %q", counts, got)
		}
	}
	if rows := riskCoverage(judgements); len(rows) != 20 || rows[19].Coverage != 0 || rows[18].Coverage != .1 {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
}
