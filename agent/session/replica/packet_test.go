package replica

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func newMember(t *testing.T) *Member {
	t.Helper()
	m, err := New(Config{Leases: &leases{}, Bus: &bus{}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCut checks that a packet of any length arrives whole, although Postgres bounds payloads.
func TestCut(t *testing.T) {
	t.Parallel()
	m := newMember(t)
	for _, n := range []int{0, 1, MaxPayload - 10, MaxPayload, 3 * MaxPayload} {
		for _, letter := range []string{"a", "é", "語", "😀"} { // no payload ends within a letter
			data := strings.Repeat(letter, n)
			payloads := cut("link", data)
			for i, p := range payloads {
				if len(p) > MaxPayload || !utf8.ValidString(p) {
					t.Fatalf("payload %d of %d %s has %d bytes, or half a letter", i, n, letter, len(p))
				}
				got, whole := m.join(p)
				if last := i == len(payloads)-1; whole != last || last && got != data {
					t.Fatalf("payload %d of %d: whole %v, with %d of %d bytes", i, len(payloads), whole, len(got), len(data))
				}
			}
		}
	}
}

// TestJoin checks that packets of two links may mix, and that a packet with a gap is dropped.
func TestJoin(t *testing.T) {
	t.Parallel()
	m := newMember(t)
	long := strings.Repeat("a", 2*MaxPayload)
	one, two := cut("one", long), cut("two", long)
	whole := 0
	for i := range one {
		for _, p := range []string{one[i], two[i]} {
			if got, ok := m.join(p); ok {
				whole++
				if got != long {
					t.Errorf("%d bytes of %d", len(got), len(long))
				}
			}
		}
	}
	if whole != 2 {
		t.Errorf("%d of 2 packets arrived", whole)
	}
	for what, payloads := range map[string][]string{
		"gap": {one[0], one[2]}, "no beginning": {one[1], one[2]}, "no packet": {"one 0", "one x . a"},
	} {
		for _, p := range payloads {
			if _, ok := m.join(p); ok {
				t.Errorf("%s: a packet is whole", what)
			}
		}
	}
	if len(m.pieces) > 0 {
		t.Errorf("the pieces of %d packets stay", len(m.pieces))
	}
}
