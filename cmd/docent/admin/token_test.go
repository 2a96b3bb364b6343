package admin

import (
	"testing"
	"time"

	"docent/internal/fault"
)

func TestParseSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 0, "90d": 90 * day, "12h": 12 * time.Hour, "1d12h": 36 * time.Hour, "30m": 30 * time.Minute, "65535d": 65535 * day,
	} {
		if got, err := parseSpan(text); err != nil || got != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "0d", "-1h", "-1d", "90", "d", "1dd", "1d-1h", "65536d", "1e9d", "forever", "106751d24h", "65535d2000000h", " 1d"} {
		if got, err := parseSpan(text); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}
