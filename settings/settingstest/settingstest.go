// Package settingstest is the test suite for settings.Store. Each store must pass it.
package settingstest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"docent/settings"
)

// Run runs the suite. open makes an empty store.
func Run(t *testing.T, open func(t *testing.T) settings.Store) {
	t.Run("Change", func(t *testing.T) {
		t.Parallel()
		testChange(t, open(t))
	})
	t.Run("AtOnce", func(t *testing.T) {
		t.Parallel()
		testAtOnce(t, open(t))
	})
}

// set returns a change to a value.
func set(key, value string, secret []byte) func(*settings.Record) (*settings.Record, error) {
	return func(*settings.Record) (*settings.Record, error) {
		return &settings.Record{Key: key, Value: value, Secret: secret}, nil
	}
}

// records returns all records as text.
func records(t *testing.T, s settings.Store) string {
	t.Helper()
	all, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range all {
		out = append(out, fmt.Sprintf("%s=%s %x", r.Key, r.Value, r.Secret))
	}
	return strings.Join(out, "; ")
}

func testChange(t *testing.T, s settings.Store) {
	t.Helper()
	for _, err := range []error{
		s.ChangeSetting(t.Context(), "k", set("k", "7", nil)), s.ChangeSetting(t.Context(), "Z", set("Z", "", []byte{1, 2})),
		s.ChangeSetting(t.Context(), "k", func(old *settings.Record) (*settings.Record, error) {
			return &settings.Record{Key: "k", Value: old.Value + "8"}, nil
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := records(t, s); got != "Z= 0102; k=78 " {
		t.Errorf("the records are %s", got)
	}
	refused := errors.New("refused")
	err := s.ChangeSetting(t.Context(), "k", func(*settings.Record) (*settings.Record, error) { return nil, refused })
	if !errors.Is(err, refused) {
		t.Errorf("a refused change: %v", err)
	}
	for range 2 {
		if err := s.ChangeSetting(t.Context(), "Z", func(*settings.Record) (*settings.Record, error) { return nil, nil }); err != nil {
			t.Error(err)
		}
	}
	if got := records(t, s); got != "k=78 " {
		t.Errorf("then the records are %s", got)
	}
}

// testAtOnce: no change of an existing record is lost.
func testAtOnce(t *testing.T, s settings.Store) {
	t.Helper()
	if err := s.ChangeSetting(t.Context(), "k", set("k", "", nil)); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.ChangeSetting(t.Context(), "k", func(old *settings.Record) (*settings.Record, error) {
				return &settings.Record{Key: "k", Value: old.Value + "x"}, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := records(t, s); got != "k=xxxxxxxx " {
		t.Errorf("the records are %s", got)
	}
}
