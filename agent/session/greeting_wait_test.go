package session

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestGreetingWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g greeting
		await := func() time.Duration {
			begun := time.Now()
			if err := g.await(t.Context(), nil); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		if d := await(); d != 0 {
			t.Errorf("without a greeting, a message waits for %v", d)
		}
		g.expect()
		if d := await(); d != MaxGreetingWait {
			t.Errorf("a message waits for a slow greeting for %v", d)
		}
		g.end()
		g.end()
		if d := await(); d != 0 {
			t.Errorf("after the greeting, a message waits for %v", d)
		}
	})
}
