//go:build soak

package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestSoakIngestSurvivesKills is TestIngestSurvivesKills with 50 kills on
// each store.
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

// TestSoakIdleSessions is TestIdleSessions with 10,000 sessions. It also checks
// that idle sessions cost little memory.
func TestSoakIdleSessions(t *testing.T) {
	const sessions = 10_000
	onBothStores(t, func(t *testing.T, env []string) {
		s := startIdle(t, append([]string{"GOGC=25"}, env...))
		s.visit(t, 0, fewSessions)
		files, memory := s.files(t), s.memory(t)
		s.visit(t, fewSessions, fewSessions+sessions)
		// The server returns memory when it collects garbage. Further visits make it
		// collect.
		allowed := memory + 16<<20 + 1024*sessions
		eventually(t, "the memory is returned", func() bool {
			s.visit(t, 0, sessionsAtOnce)
			return s.memory(t) <= allowed
		})
		t.Logf("memory after %d sessions %.1f MB, after %d more %.1f MB", fewSessions, float64(memory)/1e6, sessions, float64(s.memory(t))/1e6)
		s.check(t, files)
	})
}

// memory returns the resident private memory of the process, in bytes.
func (p *program) memory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(status)) {
		if fields := strings.Fields(l); len(fields) > 1 && fields[0] == "RssAnon:" {
			kib, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("no RssAnon in:\n%s", status)
	return 0
}

// TestSoakSyncSurvivesKills is TestSyncSurvivesKills at length: 50 kills on
// each store.
func TestSoakSyncSurvivesKills(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { killSync(t, env, 300, 50) })
}

var rounds = flag.Int("rounds", 200, "kills of TestSoakAgentsSurviveKills on each store")

// TestSoakAgentsSurviveKills is TestAgentsSurviveKills at length.
func TestSoakAgentsSurviveKills(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) { killAgents(t, env, *rounds, *seed) })
}
