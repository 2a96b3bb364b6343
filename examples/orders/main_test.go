package main

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"docent/agent/agenttest"
	"docent/agent/session"
)

// TestRefund plays a conversation in which one of three payments is allowed.
func TestRefund(t *testing.T) {
	t.Parallel()
	var paid []string
	player := agenttest.NewPlayer(t, "testdata/refund.txt")
	a, err := newAgent(player.Script, func(_ context.Context, number string, euros int) error {
		paid = append(paid, fmt.Sprint(number, " ", euros))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	agenttest.PlayWith(t, session.RuntimeConfig{Agent: a}, player)
	if !slices.Equal(paid, []string{"A7 20"}) {
		t.Errorf("paid %v", paid)
	}
}
