package stall

import (
	"testing"
	"time"
)

// TestBudget checks the time until a client of each speed is closed, in pieces of
// 16 KiB.
func TestBudget(t *testing.T) {
	t.Parallel()
	for speed, want := range map[int]time.Duration{
		1:            time.Minute,      // it ends in the first piece
		2 << 10:      75 * time.Second, // 8 s for each piece of 2 s
		MinSpeed / 2: 2 * time.Minute,
		MinSpeed:     0, // never
		1 << 20:      0,
	} {
		b, elapsed := newBudget(time.Minute), time.Duration(0)
		for b.left > 0 && elapsed < time.Hour {
			wait := time.Duration(pieceBytes) * time.Second / time.Duration(speed)
			if wait > b.left { // the deadline ends the wait
				elapsed += b.left
				b.spend(b.left, 0)
				break
			}
			elapsed += wait
			b.spend(wait, pieceBytes)
		}
		if closed := b.left <= 0; closed != (want > 0) || closed && (elapsed < want-10*time.Second || elapsed > want+10*time.Second) {
			t.Errorf("%d bytes per second: closed %v after %s, want %s", speed, closed, elapsed, want)
		}
	}
}
