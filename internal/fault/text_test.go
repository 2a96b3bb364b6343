package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"
)

func TestText(t *testing.T) {
	t.Parallel()
	inner := New(NotFound, "no_document", "there is no document %d", 7)
	for name, tc := range map[string]struct {
		text Text
		want string
	}{
		"no params":     {NewText("closed", "the database is closed"), `{"id":"closed","params":[],"message":"the database is closed"}`},
		"numbers":       {NewText("range", "%d of %g, %.0f %%", 3, .5, 2.6), `{"id":"range","params":[3,0.5,2.6],"message":"3 of 0.5, 3 %"}`},
		"quoted":        {NewText("name", "no %.3q", `a"bcd`), `{"id":"name","params":["a\"b"],"message":"no \"a\\\"b\""}`},
		"duration":      {NewText("slow", "not within %v", 2*time.Second), `{"id":"slow","params":["2s"],"message":"not within 2s"}`},
		"a sentence":    {NewText("line", "line %d: %s", 2, NewText("empty", "it has no text")), `{"id":"line","params":[2,{"id":"empty","params":[],"message":"it has no text"}],"message":"line 2: it has no text"}`},
		"a fault":       {TextOf(New(Invalid, "url", "url: %w", inner)), `{"id":"url","params":[{"id":"no_document","params":[7],"message":"there is no document 7"}],"message":"url: there is no document 7"}`},
		"a wrapped one": {NewText("url", "url: %w", fmt.Errorf("x: %w", inner)), `{"id":"url","params":["x: there is no document 7"],"message":"url: x: there is no document 7"}`},
		"not a number":  {NewText("score", "%g", math.NaN()), `{"id":"","params":[],"message":"NaN"}`},
		"no id":         {Plain("as told"), `{"id":"","params":[],"message":"as told"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := json.Marshal(tc.text)
			if err != nil || string(data) != tc.want {
				t.Errorf("got %s %v, want %s", data, err, tc.want)
			}
			var back Text
			if err := json.Unmarshal(data, &back); err != nil || back != tc.text {
				t.Errorf("read %+v %v, want %+v", back, err, tc.text)
			}
		})
	}
}

func TestSentenceInDatabase(t *testing.T) {
	t.Parallel()
	for _, s := range []Sentence{{}, NewText("closed", "closed").Sentence, NewText("line", "line %d: %s", 2, "a \x00").Sentence} {
		v, err := s.Value()
		if err != nil {
			t.Fatal(err)
		}
		var back Sentence
		if err := back.Scan(v); err != nil || back != s {
			t.Errorf("read %+v %v, want %+v", back, err, s)
		}
	}
	var s Sentence
	if s.Scan("{") == nil || s.Scan(1) == nil {
		t.Error("read what is not a sentence")
	}
}

func TestCauseOfNew(t *testing.T) {
	t.Parallel()
	cause := errors.New("refused")
	err := New(Unavailable, "away", "%d of %s: %w", 2, "a", cause)
	if !errors.Is(err, cause) || err.Error() != "2 of a: refused" {
		t.Error(err)
	}
}
