package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"docent/rag/text"
)

// TestIngestSurvivesKills kills ingest three times and then lets it finish. The soak
// test kills it more often.
func TestIngestSurvivesKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		env[0] = "DOCENT_DATA=" + t.TempDir() // the first process creates the database
		killIngest(t, env, 20, 3)
	})
}

// killAfter returns a random moment for a kill. A process reads a file in about ten milliseconds. On
// a busy machine, the kill comes earlier in its work, which is as good.
func killAfter(random *rand.Rand, files int) <-chan time.Time {
	return time.After(time.Duration(random.Int64N(int64(100*time.Millisecond) + int64(files)*int64(10*time.Millisecond))))
}

// killIngest starts ingests of a folder and kills each with SIGKILL at a random
// moment. It lets the last one finish and compares its database with that of an
// undisturbed ingest.
func killIngest(t *testing.T, env []string, files, kills int) {
	t.Helper()
	docs := writeDocs(t, files)
	clean := []string{"DOCENT_DATA=" + dataFolder(t)}
	docent(t, clean, 0, "ingest", docs)
	moments := rand.New(rand.NewPCG(1, uint64(kills)))
	killed := 0
	for range kills {
		p := start(t, env, "ingest", docs)
		select {
		case <-killAfter(moments, files):
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
		t.Errorf("undisturbed:\n%s\nkilled %d times:\n%s", text.Shorten(a, 4000), killed, text.Shorten(b, 4000))
	}
}
