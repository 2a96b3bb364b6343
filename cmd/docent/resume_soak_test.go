//go:build soak

package main

import (
	"flag"
	"testing"
	"time"

	"docent/internal/pgtest"
)

var seed = flag.Uint64("seed", 1, "of what soak tests leave to chance")

// TestSoakResume is TestResume at length: 1,000 cuts on each store.
func TestSoakResume(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) {
		resumeAll(t, env, cutting{sessions: 3, tabs: 3, cuts: 1000, killEvery: 20, seed: *seed})
	})
}

// TestSoakResumeRevised is TestResumeRevised at length: 500 cuts on each store.
func TestSoakResumeRevised(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) {
		resumeAll(t, env, cutting{sessions: 3, tabs: 3, cuts: 500, killEvery: 20, revising: true, seed: *seed})
	})
}

// TestSoakReplicas is TestResumeReplicas at length: 40 kills and 40 stops.
func TestSoakReplicas(t *testing.T) {
	env := []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + pgtest.URL(t)}
	resumeAll(t, env, cutting{replicas: 3, sessions: 4, tabs: 3, cuts: 400, killEvery: 10, seed: *seed})
}

// TestSoakKills kills one of three servers every ten seconds for ten minutes.
func TestSoakKills(t *testing.T) {
	env := []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + pgtest.URL(t)}
	resumeAll(t, env, cutting{replicas: 3, sessions: 4, tabs: 3, cuts: 60, killEvery: 1, between: 10 * time.Second, seed: *seed})
}

// TestSoakDatabaseRestarts restarts Postgres ten times while three servers answer.
func TestSoakDatabaseRestarts(t *testing.T) {
	database, err := pgtest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(database.Stop)
	env := []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + database.URL()}
	resumeAll(t, env, cutting{
		replicas: 3, sessions: 4, tabs: 3, cuts: 200, killEvery: 1000, between: 200 * time.Millisecond, seed: *seed,
		restart: func() error { return database.Restart(t.Context()) },
	})
}

// TestSoakExactlyOnce is TestExactlyOnce with 1,050 messages on each store.
func TestSoakExactlyOnce(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { thrice(t, env, 70) })
}

// TestSoakBadFrames is TestBadFrames for 10 minutes.
func TestSoakBadFrames(t *testing.T) { fuzzFrames(t, 10*time.Minute, *seed) }
