package auth_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/auth"
	"docent/internal/fault"
)

func TestThrottle(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Unix(1, 0)}
	th := auth.NewThrottle(c.now, 3, 10*time.Second)
	for range 3 {
		ok(t, th.Attempt("ann"))
	}
	for _, wait := range []time.Duration{1, 2, 4, 8, 10, 10, 10} {
		for range 3 { // refused attempts are not counted
			err := th.Attempt("ann")
			fails(t, err, fault.RateLimited, fmt.Sprintf("try again in %d s", wait))
			if auth.RetryAfter(err) != wait*time.Second {
				t.Errorf("retry after %s, want %s", auth.RetryAfter(err), wait*time.Second)
			}
		}
		ok(t, th.Attempt("bob"))
		th.Forget("bob")
		c.pass(wait*time.Second - 1)
		fails(t, th.Attempt("ann"), fault.RateLimited, "try again in 1 s")
		c.pass(1)
		ok(t, th.Attempt("ann"))
	}
	for range 100 {
		ok(t, th.Attempt("")) // "" identifies no client
	}
	c.pass(auth.ForgetAfter)
	for range 3 {
		ok(t, th.Attempt("ann"))
	}
	th.Refund("ann")
	ok(t, th.Attempt("ann"))
	fails(t, th.Attempt("ann"), fault.RateLimited, "")
	th.Forget("ann")
	ok(t, th.Attempt("ann"))
	th.Refund("ann")
	th.Refund("ann")
	if n := th.Keys(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	if auth.RetryAfter(nil) != 0 || auth.RetryAfter(errBroken) != 0 {
		t.Error("other errors say when to try again")
	}
}

// TestThrottleIsBounded: many invented keys do not fill the memory, and do not
// evict a key with many attempts.
func TestThrottleIsBounded(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Unix(1, 0)}
	th := auth.NewThrottle(c.now, 3, time.Minute)
	for range 3 {
		ok(t, th.Attempt("target"))
	}
	for i := range 3 * auth.MaxKeys {
		ok(t, th.Attempt(fmt.Sprint("made up ", i)))
	}
	if n := th.Keys(); n != auth.MaxKeys {
		t.Errorf("%d keys", n)
	}
	fails(t, th.Attempt("target"), fault.RateLimited, "")
	c.pass(auth.ForgetAfter)
	ok(t, th.Attempt("one more"))
}

// TestGuessingAtOnce checks that attempts are counted before they are verified.
func TestGuessingAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	var all sync.WaitGroup
	var mu sync.Mutex
	kinds := map[fault.Kind]int{}
	for i := range 40 {
		all.Go(func() {
			_, _, err := w.Password(t.Context(), "ann", "wrong horse", fmt.Sprint("192.0.2.", i))
			mu.Lock()
			defer mu.Unlock()
			kinds[fault.KindOf(err)]++
		})
	}
	all.Wait()
	if kinds[fault.Unauthorized] != 5 || kinds[fault.RateLimited] != 35 {
		t.Errorf("answers are %v", kinds)
	}
}

func TestPasswordsAreSlowedByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	wrong := func(name string) error {
		_, _, err := w.Password(t.Context(), name, "wrong horse", "")
		return err
	}
	for _, name := range []string{"ann", "eve"} { // existing users and others
		for range 5 {
			fails(t, wrong(name), fault.Unauthorized, "")
		}
		fails(t, wrong(name), fault.RateLimited, "try again in 1 s")
	}
	_, _, err := w.Password(t.Context(), "ann", password, "")
	fails(t, err, fault.RateLimited, "try again")
	for range 6 {
		w.clock.pass(15 * time.Second) // no wait is longer
		fails(t, wrong("ann"), fault.Unauthorized, "")
	}
	w.clock.pass(15 * time.Second)
	w.login("ann")
	for range 5 { // the attempts have expired
		fails(t, wrong("ann"), fault.Unauthorized, "")
	}
}

func TestPasswordsAreSlowedByAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	w.user("eve", auth.Ask)
	for i := range 20 {
		// An own account does not allow more attempts on other accounts.
		if i%4 == 0 {
			_, _, err := w.Password(t.Context(), "eve", password, "192.0.2.9")
			ok(t, err)
		}
		_, _, err := w.Password(t.Context(), fmt.Sprint("user", i), password, "192.0.2.9")
		fails(t, err, fault.Unauthorized, "")
	}
	_, _, err := w.Password(t.Context(), "ann", password, "192.0.2.9")
	fails(t, err, fault.RateLimited, "try again in 1 s")
	w.login("ann") // from another address
}

// TestUsersAreNotLockedOut checks that attempts of others do not slow a user
// down at an address at which the user has signed in before. Others cannot
// use such an address to guess more.
func TestUsersAreNotLockedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	try := func(secret, remote string) error {
		_, _, err := w.Password(t.Context(), "ann", secret, remote)
		return err
	}
	ok(t, try(password, "192.0.2.1"))
	for i := range 5 {
		fails(t, try("wrong horse", fmt.Sprint("198.51.100.", i)), fault.Unauthorized, "")
	}
	fails(t, try("wrong horse", "198.51.100.9"), fault.RateLimited, "try again")
	fails(t, try(password, "192.0.2.2"), fault.RateLimited, "try again") // unknown
	ok(t, try(password, "192.0.2.1"))
	for range 5 {
		fails(t, try("wrong horse", "192.0.2.1"), fault.Unauthorized, "")
	}
	fails(t, try("wrong horse", "192.0.2.1"), fault.RateLimited, "try again")
	w.clock.pass(31 * 24 * time.Hour) // the address is forgotten
	for range 5 {
		fails(t, try("wrong horse", "198.51.100.9"), fault.Unauthorized, "")
	}
	fails(t, try(password, "192.0.2.1"), fault.RateLimited, "try again")
}

// TestPasswordsAreSlowedByNetwork checks that somebody with a whole /48 cannot
// guess without limit.
func TestPasswordsAreSlowedByNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	try := func(name, remote string) error {
		_, _, err := w.Password(t.Context(), name, password, remote)
		return err
	}
	for i := range 200 {
		fails(t, try(fmt.Sprint("user", i), fmt.Sprintf("2001:db8:1:%x::/64", i)), fault.Unauthorized, "")
	}
	fails(t, try("ann", "2001:db8:1:ffff::/64"), fault.RateLimited, "try again")
	ok(t, try("ann", "2001:db8:2::/64"))
}

func TestAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	w := newWorld(t, func(c *auth.Config) { c.Metrics = set })
	w.user("ann", auth.Ask)
	_, err := w.Cookie(t.Context(), w.login("ann"))
	ok(t, err)
	_, err = w.Token(t.Context(), w.token(auth.TokenSpec{Name: "x", Scopes: auth.Scopes{auth.Ask}}))
	ok(t, err)
	_, err = w.Token(t.Context(), "eyJh.eyJh.eyJh")
	fails(t, err, fault.Unauthorized, "")
	var b strings.Builder
	set.WritePrometheus(&b)
	const want = `docent_auth_attempts_total{by="cookie",outcome="ok"} 1
docent_auth_attempts_total{by="password",outcome="ok"} 1
docent_auth_attempts_total{by="token",outcome="ok"} 1
docent_auth_attempts_total{by="token",outcome="unauthorized"} 1
`
	if b.String() != want {
		t.Errorf("metrics are\n%s", &b)
	}
}
