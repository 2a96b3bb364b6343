//go:build soak

package main

import (
	"fmt"
	"testing"
)

// TestSoakIngestSurvivesKills is TestIngestSurvivesKills at length: 50 kills
// on each store.
func TestSoakIngestSurvivesKills(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { killIngest(t, env, 300, 50) })
}

// TestSoakBurstSurvivesKills is TestBurstSurvivesKills at length: 120 kills on
// each store.
func TestSoakBurstSurvivesKills(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			onBothStores(t, func(t *testing.T, env []string) { killBurst(t, env, 330, 10, 40, seed) })
		})
	}
}

// TestSoakIdleSessions is TestIdleSessions with 10,000 sessions.
func TestSoakIdleSessions(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { useSessions(t, env, 10_000) })
}

// TestSoakSyncSurvivesKills is TestSyncSurvivesKills at length: 50 kills on
// each store.
func TestSoakSyncSurvivesKills(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { killSync(t, env, 300, 50) })
}
