package source_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	kind := source.Kind{Name: "k", Options: []source.Option{
		{Name: "url"}, {Name: "depth", Type: "number"}, {Name: "hidden", Type: "bool"}, {Name: "include", Type: "list"}, {Name: "wait", Type: "duration"}, {Name: "token", Secret: true},
	}}
	var got struct {
		URL     string        `json:"url"`
		Depth   int           `json:"depth"`
		Hidden  bool          `json:"hidden"`
		Include []string      `json:"include"`
		Wait    time.Duration `json:"wait"`
		Token   string        `json:"token"`
	}
	err := kind.Decode(source.Settings{Options: map[string]string{"url": "https://x", "depth": "3", "hidden": "true", "include": "a/**, b\nc", "wait": "2s", "token": `"`}}, &got)
	if err != nil || got.URL != "https://x" || got.Depth != 3 || !got.Hidden || !slices.Equal(got.Include, []string{"a/**", "b", "c"}) || got.Wait != 2*time.Second || got.Token != `"` {
		t.Errorf("decoded is %+v, %v", got, err)
	}
	for name, value := range map[string]string{"depth": "x", "hidden": "x", "wait": "x"} {
		err := kind.Decode(source.Settings{Options: map[string]string{name: value}}, &got)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for text, want := range map[string]time.Duration{"manual": 0, "15m": 15 * time.Minute, "7d": 7 * 24 * time.Hour, "1h30m": 90 * time.Minute} {
		if d, err := source.ParseSchedule(text); err != nil || d != want {
			t.Errorf("schedule %s is %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "0s", "-1h", "1ms", "d", "xd", "-1d", "9999h", "999999999999d", "soon"} {
		if d, err := source.ParseSchedule(text); fault.KindOf(err) != fault.Invalid {
			t.Errorf("schedule %q is %v, %v", text, d, err)
		}
	}
}
