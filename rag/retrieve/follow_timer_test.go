package retrieve

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSnapshotWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timer := newSnapshotTimer()
		defer timer.Stop()
		start := time.Now()
		for range 3 {
			timer.changed()
			<-time.After(snapshotQuiet / 2)
		}
		<-timer.C
		if took, want := time.Since(start), 2*snapshotQuiet; took != want {
			t.Errorf("after three changes the snapshot is due at %v, want %v", took, want)
		}
	})
}

func TestSnapshotOfABusyCorpusIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timer := newSnapshotTimer()
		defer timer.Stop()
		start := time.Now()
		for {
			timer.changed()
			select {
			case <-timer.C:
				if took := time.Since(start); took != snapshotLatest {
					t.Errorf("the snapshot is due at %v, want %v", took, snapshotLatest)
				}
				timer.saved()
				timer.changed()
				if !timer.latest.After(time.Now().Add(snapshotLatest - time.Second)) {
					t.Error("after a snapshot the next one is due too soon")
				}
				return
			case <-time.After(snapshotQuiet / 2):
			}
		}
	})
}

// TestSnapshotOfVectorsIsDue: new vectors neither delay a snapshot, nor make one early.
func TestSnapshotOfVectorsIsDue(t *testing.T) {
	for name, want := range map[string]time.Duration{"vectors": snapshotLatest, "documents too": snapshotQuiet} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				timer := newSnapshotTimer()
				defer timer.Stop()
				start := time.Now()
				timer.encoded()
				if want == snapshotQuiet {
					timer.changed()
				}
				for {
					timer.encoded()
					select {
					case <-timer.C:
						if took := time.Since(start); took != want {
							t.Errorf("the snapshot is due at %v, want %v", took, want)
						}
						return
					case <-time.After(encodingsPause / 3 * 2):
					}
				}
			})
		})
	}
}
