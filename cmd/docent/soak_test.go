//go:build soak

package main

import "testing"

// TestSoakIngestSurvivesKills is TestIngestSurvivesKills at length: 50 kills
// on each store.
func TestSoakIngestSurvivesKills(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { killIngest(t, env, 300, 50) })
}
