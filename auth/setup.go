package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"time"

	"docent/internal/fault"
)

// setupTime is the time in which the code of the first start works.
const setupTime = time.Hour

// Setup lets the owner of a one-time code set up a new installation. It keeps only a hash of the code. It is safe for
// concurrent use.
type Setup struct {
	hash  [sha256.Size]byte
	until time.Time
	now   func() time.Time
	// finish creates an administrator and turns authentication on.
	finish func(ctx context.Context, name, password string) (restarts bool, err error)

	mu   sync.Mutex // guards used
	used bool
}

// NewSetup returns a Setup and its code. finish creates an administrator and turns authentication on.
func NewSetup(now func() time.Time, finish func(ctx context.Context, name, password string) (bool, error)) (*Setup, string) {
	code := rand.Text()
	return &Setup{hash: sha256.Sum256([]byte(code)), until: now().Add(setupTime), now: now, finish: finish}, code
}

// Check fails unless the code works.
func (s *Setup) Check(code string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.check(code)
}

// check is Check while s.mu is held.
func (s *Setup) check(code string) error {
	hash := sha256.Sum256([]byte(code))
	if subtle.ConstantTimeCompare(hash[:], s.hash[:]) != 1 || s.used || !s.now().Before(s.until) {
		return fault.New(fault.Forbidden, "setup_code", "this link was used or has expired; start docent again for a new one")
	}
	return nil
}

// Finish uses the code. With a name, it creates the first administrator. restarts says that the server restarts soon,
// with authentication.
func (s *Setup) Finish(ctx context.Context, code, name, password string) (restarts bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(code); err != nil {
		return false, err
	}
	if name != "" {
		if restarts, err = s.finish(ctx, name, password); err != nil {
			return false, err
		}
	}
	s.used = true
	return restarts, nil
}
