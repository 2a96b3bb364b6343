package talk

import (
	"slices"
	"testing"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		earlier, message, whole string
		bound, corrects, asks   bool
		own                     []string
	}{
		{"what does the boat cost an hour", "and for the whole day?", "what does the boat cost an hour\nfor the whole day", true, false, false, []string{"day"}},
		{"who cooks on 10 june", "and on the 12th?", "who cooks on the 12th", true, false, false, []string{"12th"}},
		{"what do I get per mile by car", "sorry, i meant by bike", "what do I get per mile by bike", true, true, false, []string{"bike"}},
		{"how long is a pass valid", "i have a course for a week though", "how long is a pass valid\ni have a course for a week though", false, false, false, []string{"cours", "week"}},
		{"how long is a pass valid", "where is the nearest parking lot", "how long is a pass valid\nwhere is the nearest parking lot", false, false, true, []string{"nearest", "park"}},
		{"how long is a pass valid", "can I extend it?", "how long is a pass valid\ncan I extend it?", true, false, true, []string{"extend"}},
	} {
		f, ok := Follow(c.message, []Turn{{User, c.earlier}, {Assistant, "An answer."}})
		if !ok || f.Whole != c.whole || f.Bound != c.bound || f.Corrects != c.corrects || f.Asks != c.asks || !slices.Equal(f.Own(), c.own) {
			t.Errorf("%s / %s: %+v %v", c.earlier, c.message, f, f.Own())
		}
	}
	for _, turns := range [][]Turn{nil, {{User, "hello"}, {Assistant, "Hello."}}} {
		if f, ok := Follow("where is the pier?", turns); ok {
			t.Errorf("after %v: %+v", turns, f)
		}
	}
}

func TestExchanged(t *testing.T) {
	t.Parallel()
	f, _ := Follow("and for the whole day?", []Turn{{User, "what does the small boat cost an hour"}, {Assistant, "24."}})
	want := []string{
		"what does the small boat cost an hour day?", "what does the small boat cost an day?", "what does the small boat day an hour?",
		"what does the small day cost an hour?", "what does the day boat cost an hour?", "what does the small day an hour?",
		"what does the day cost an hour?",
	}
	if got := f.Exchanged(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]Times{
		"how much is that for 12 people?":  {"12", 12, "people"},
		"und das für zwei Personen?":       {"2", 2, "Personen"},
		"and for three nights":             {"3", 3, "nights"},
		"what would it cost for 2 of us?":  {"2", 2, ""},
		"what does the hall cost for 2?":   {},
		"and for the 12th?":                {},
		"how many people fit in 12 boats?": {},
	} {
		if got, _ := (FollowUp{Message: message}).Times(); got != want {
			t.Errorf("%s: %+v", message, got)
		}
	}
}

func TestNewSubject(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"ok thanks. other thing: who runs the shop": "who runs the shop",
		"Danke! Andere Frage: wann macht ihr auf?":  "wann macht ihr auf?",
		"now something different: where is the key": "where is the key",
		"another question about the shop":           "",
		"the other question: is it open":            "",
	} {
		if got, ok := NewSubject(message); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %v", message, got, ok)
		}
	}
}
