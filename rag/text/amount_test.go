package text

import (
	"slices"
	"testing"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, text string
		want           []Amount
	}{
		{"en", "1,600 entries for 5 minutes", []Amount{{"1600", 1600, ""}, {"5", 300, "s"}}},
		{"en", "four megabytes, 90 percent", []Amount{{"4", 4, "mb"}, {"90", 90, "%"}}},
		{"en", "version 2.1.3", []Amount{{"2.1.3", -1, ""}}},
		{"de", "drei Stunden", []Amount{{"3", 10800, "s"}}},
		{"en", "/etc/7 and x_5", nil},
		{"en", "1.000 liters, 1,000.5 GB, and 1,5 GB", []Amount{{"1.000", 1, ""}, {"1000.5", 1000.5, "gb"}, {"1.5", 1.5, "gb"}}},
		{"en", "2,000,000 bytes", []Amount{{"2000000", 2000000, "byt"}}},
		{"de", "1.000 Liter, 1.000,5 GB und 1,5 GB", []Amount{{"1000", 1000, ""}, {"1000.5", 1000.5, "gb"}, {"1.5", 1.5, "gb"}}},
		{"de", "2.000.000 Bytes, 1,125 MB, 0.125 MB", []Amount{{"2000000", 2000000, "byt"}, {"1.125", 1.125, "mb"}, {"0.125", .125, "mb"}}},
		{"de", "Version 2.1.3 auf 192.168.100.200", []Amount{{"2.1.3", -1, ""}, {"192.168.100.200", -1, ""}}},
		{"fr", "un délai de 1,5 h", []Amount{{"1.5", 5400, "s"}}},
		{"", "1,000 or 1.5 or 1,5 or 1.000.000", []Amount{{"1000", 1000, ""}, {"1.5", 1.5, ""}, {"1.5", 1.5, ""}, {"1000000", 1000000, ""}}},
		{"", "1,000.25 or 1.000,25", []Amount{{"1000.25", 1000.25, ""}, {"1000.25", 1000.25, ""}}},
	} {
		if got := Amounts(c.text, c.language); !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %v, want %v", c.text, c.language, got, c.want)
		}
	}
	if got := WithoutAmounts("It waits five minutes."); got != "It waits ." {
		t.Errorf("got %q", got)
	}
}
