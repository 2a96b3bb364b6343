package intake_test

import (
	"testing"

	"docent/ingest/intake"
)

func TestClientOf(t *testing.T) {
	t.Parallel()
	if c := intake.ClientOf(t.Context()); c.Key != "" || c.Slow != nil {
		t.Errorf("a context without a client has %+v", c)
	}
	told := false
	ctx := intake.WithClient(t.Context(), intake.Client{Key: "ada", Slow: func() { told = true }})
	c := intake.ClientOf(ctx)
	if c.Slow(); c.Key != "ada" || !told {
		t.Errorf("client %q, told %v", c.Key, told)
	}
	inner := intake.WithClient(ctx, intake.Client{Key: "grace"})
	if key := intake.ClientOf(inner).Key; key != "grace" {
		t.Errorf("the inner client is %q", key)
	}
}
