package main

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestIngestSurvivesKills kills ingest a few times and runs it again; the soak
// test does so many times.
func TestIngestSurvivesKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) { killIngest(t, env, 40, 5) })
}

// killIngest kills an ingest of so many files so many times with SIGKILL, at
// moments spread over the time an undisturbed one took, then lets one finish
// and compares.
func killIngest(t *testing.T, env []string, files, kills int) {
	t.Helper()
	docs := writeDocs(t, files)
	clean := []string{"DOCENT_DATA=" + t.TempDir()}
	began := time.Now()
	docent(t, clean, 0, "ingest", docs)
	whole := time.Since(began)
	moments := rand.New(rand.NewPCG(1, uint64(kills)))
	killed := 0
	for range kills {
		p := start(t, env, "ingest", docs)
		select {
		case <-time.After(time.Duration(moments.Int64N(int64(whole)))):
			if err := p.cmd.Process.Kill(); err == nil {
				killed++
			}
		case <-p.done:
		}
		p.wait()
	}
	t.Logf("killed %d of %d", killed, kills)
	docent(t, env, 0, "ingest", docs)
	if a, b := state(t, clean), state(t, env); a != b {
		t.Errorf("undisturbed:\n%s\nkilled %d times:\n%s", clip(a, 4000), killed, clip(b, 4000))
	}
}
