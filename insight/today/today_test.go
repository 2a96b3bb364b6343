package today_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"docent/insight"
	"docent/insight/today"
	"docent/internal/fault"
)

var now = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

// counts are the numbers of a store.
type counts struct {
	gapStore
	insight.Approvals

	gaps insight.GapCounts
	due  int64
}

type gapStore interface{ insight.Gaps }

func (c counts) CountGaps(_ context.Context, _ []string, since time.Time) (insight.GapCounts, error) {
	if !since.Equal(now.AddDate(0, 0, -7)) {
		return c.gaps, fmt.Errorf("new gaps are counted since %v", since)
	}
	return c.gaps, nil
}

func (c counts) CountDue(_ context.Context, f insight.ApprovedFilter) (int64, error) {
	if f.Due != "2026-05-03" || !slices.Equal(f.Readable, f.Collections) {
		return 0, fmt.Errorf("the filter is %+v", f)
	}
	return c.due, nil
}

// healthy is an installation without things to do.
func healthy() today.Config {
	return today.Config{
		Gaps: counts{}, Approved: counts{}, Now: func() time.Time { return now },
		Collections: func(context.Context) ([]today.Collection, error) { return []today.Collection{{Name: "a"}}, nil },
		Sources: func(context.Context) ([]today.Source, error) {
			return []today.Source{
				{Name: "soon", Collection: "a", Next: now.Add(-time.Minute)},
				{Name: "busy", Collection: "a", Next: now.Add(-time.Hour * 48), Busy: true, Errors: 1},
				{Name: "paused", Collection: "a", Next: now.Add(-time.Hour * 48), Paused: true},
				{Name: "manual", Collection: "a"},
			}, nil
		},
		Models:  func() []today.ModelState { return []today.ModelState{{Name: "m", Answers: true}} },
		Backup:  func(context.Context) (time.Time, error) { return now.AddDate(0, 0, -7), nil },
		Refused: func(context.Context) ([]today.Refused, error) { return nil, nil },
		Disk:    func() (free, total uint64, known bool) { return 11, 100, true },
	}
}

// lines returns the things to do of somebody as lines.
func lines(t *testing.T, cfg today.Config, collections []string) (out []string) {
	t.Helper()
	things, err := today.New(cfg).Things(t.Context(), collections, collections)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range things {
		line := fmt.Sprintf("%s %s %s %d", d.Level, d.Kind, d.Name, d.Count)
		if d.Quotes {
			line += " quotes"
		}
		out = append(out, line)
	}
	return out
}

func TestHealthy(t *testing.T) {
	t.Parallel()
	if got := lines(t, healthy(), nil); got != nil {
		t.Errorf("things to do: %q", got)
	}
	cfg := healthy()
	cfg.Disk = func() (free, total uint64, known bool) { return 0, 0, false }
	cfg.Models = func() []today.ModelState { return nil }
	if got := lines(t, cfg, nil); got != nil {
		t.Errorf("without models and a known disk: %q", got)
	}
}

// broken is an installation in which everything is to do.
func broken() today.Config {
	cfg := healthy()
	c := counts{gaps: insight.GapCounts{Open: 5, Questions: 12, New: 3, Proposed: 1}, due: 2}
	cfg.Gaps, cfg.Approved = c, c
	cfg.Collections = func(context.Context) ([]today.Collection, error) {
		return []today.Collection{{"a", 3}, {"b", 1}, {"c", 0}}, nil
	}
	cfg.Sources = func(context.Context) ([]today.Source, error) {
		return []today.Source{
			{Name: "wiki", Collection: "a", Next: now.Add(-48 * time.Hour)},
			{Name: "blog", Collection: "b", Errors: 3},
			{Name: "archive", Collection: "c", Stopped: true, Paused: true, Errors: 1},
		}, nil
	}
	cfg.Models = func() []today.ModelState {
		return []today.ModelState{
			{Name: "large", Answers: true, Failed: errors.New("no key")}, {Name: "other"}, {Name: "extra", Failed: errors.New("no key")},
		}
	}
	cfg.Backup = func(context.Context) (time.Time, error) { return time.Time{}, nil }
	cfg.Disk = func() (free, total uint64, known bool) { return 9, 100, true }
	cfg.Refused = func(context.Context) ([]today.Refused, error) {
		return []today.Refused{{Recipient: "ann@example.com", Problem: fault.Plain("no such user")}, {Recipient: "webhooks"}}, nil
	}
	return cfg
}

func TestBroken(t *testing.T) {
	t.Parallel()
	want := []string{
		"urgent model large 0 quotes", "soon model extra 0", "soon disk  0", "soon source_stopped archive 0", "soon source_failed blog 3",
		"soon source_late wiki 0", "soon documents  4", "soon mail ann@example.com 2", "note backup  0", "note gaps_proposed  1", "note gaps_open  5", "note answers_due  2",
	}
	if got := lines(t, broken(), nil); !slices.Equal(got, want) {
		t.Errorf("things to do:\n%q, want\n%q", got, want)
	}
	cfg := broken()
	models := cfg.Models()
	models[1].Answers = true // a fallback that works
	cfg.Models = func() []today.ModelState { return models }
	cfg.Backup = func(context.Context) (time.Time, error) { return now.AddDate(0, 0, -9), nil }
	cfg.Disk = func() (free, total uint64, known bool) { return 2, 100, true }
	got := lines(t, cfg, nil)
	for _, line := range []string{"soon model large 0", "soon backup  0", "urgent disk  0"} {
		if !slices.Contains(got, line) {
			t.Errorf("%q is not in %q", line, got)
		}
	}
}

// TestManager: managers see their collections, and neither models, backups, nor disks.
func TestManager(t *testing.T) {
	t.Parallel()
	want := []string{"soon source_failed blog 3", "soon documents b 1", "note gaps_proposed  1", "note gaps_open  5", "note answers_due  2"}
	if got := lines(t, broken(), []string{"b"}); !slices.Equal(got, want) {
		t.Errorf("things to do: %q, want %q", got, want)
	}
}
