package text

import (
	"slices"
	"testing"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]Amount{
		"1,600 entries for 5 minutes": {{"1600", 1600, ""}, {"5", 300, "s"}},
		"four megabytes, 90 percent":  {{"4", 4, "mb"}, {"90", 90, "%"}},
		"version 2.1.3":               {{"2.1.3", -1, ""}},
		"drei Stunden":                {{"3", 10800, "s"}},
		"/etc/7 and x_5":              nil,
	} {
		if got := Amounts(s); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
	if got := WithoutAmounts("It waits five minutes."); got != "It waits ." {
		t.Errorf("got %q", got)
	}
}
