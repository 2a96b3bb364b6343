package lazyregexp_test

import (
	"regexp"
	"slices"
	"sync"
	"testing"

	"docent/internal/lazyregexp"
)

var number, invalid = lazyregexp.New(`(\d)\d*`), lazyregexp.New(`(`)

// TestFirstUse uses one expression from several goroutines for the first time.
func TestFirstUse(t *testing.T) {
	t.Parallel()
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			if got := number.FindAllStringSubmatch("12 and 7", -1); len(got) != 2 || !slices.Equal(got[0], []string{"12", "1"}) {
				t.Errorf("found %q", got)
			}
		})
	}
	users.Wait()
}

// TestInvalid checks that New does not compile, and that All has invalid patterns, too.
func TestInvalid(t *testing.T) {
	t.Parallel()
	if got := lazyregexp.All(); !slices.Equal(got, []string{number.String(), invalid.String()}) {
		t.Errorf("the patterns are %q", got)
	}
	defer func() {
		if _, ok := recover().(string); !ok {
			t.Error("no panic")
		}
	}()
	invalid.MatchString("x")
}

// TestSame compares all methods with those of regexp.
func TestSame(t *testing.T) {
	t.Parallel()
	want, s := regexp.MustCompile(number.String()), "x12 y7"
	for _, same := range []bool{
		number.MatchString(s) == want.MatchString(s), number.Match([]byte(s)) == want.Match([]byte(s)),
		number.FindString(s) == want.FindString(s),
		slices.Equal(number.FindStringIndex(s), want.FindStringIndex(s)),
		slices.Equal(number.FindStringSubmatch(s), want.FindStringSubmatch(s)),
		slices.Equal(number.FindStringSubmatchIndex(s), want.FindStringSubmatchIndex(s)),
		slices.Equal(number.FindAllString(s, -1), want.FindAllString(s, -1)),
		slices.EqualFunc(number.FindAllStringIndex(s, -1), want.FindAllStringIndex(s, -1), slices.Equal),
		slices.EqualFunc(number.FindAllStringSubmatchIndex(s, -1), want.FindAllStringSubmatchIndex(s, -1), slices.Equal),
		number.ReplaceAllString(s, "<$1>") == want.ReplaceAllString(s, "<$1>"),
		slices.Equal(number.SubexpNames(), want.SubexpNames()),
		slices.Equal(number.Split(s, -1), want.Split(s, -1)),
	} {
		if !same {
			t.Error("a method differs from that of regexp")
		}
	}
}
