package relay

import (
	"maps"

	"docent/internal/limits"
)

// repeatBeats is the number of beats after which unchanged amounts are sent again, for replicas that
// joined meanwhile.
const repeatBeats = 20

// share is a limit that all replicas share.
type share struct {
	name  string
	limit *limits.Limit
	last  map[string]int64 // the amounts that others know
	beats int              // since then
}

// usage tells other replicas how much of a limit is used.
type usage struct {
	Limit   string
	Amounts map[string]int64
}

// Share makes a limit hold for all replicas together. name is the same in each. The others learn of
// changes with the next beat. Share comes before Start.
func (r *Relay) Share(name string, limit *limits.Limit) {
	limit.Share()
	r.shares = append(r.shares, &share{name: name, limit: limit})
}

// news returns the amounts to tell others, or nil. Only the goroutine of the beats calls it.
func (s *share) news() map[string]int64 {
	now := s.limit.Shared()
	s.beats++
	if s.limit.Rate() {
		if len(now) == 0 {
			return nil
		}
		return now
	}
	if maps.Equal(now, s.last) && (s.beats < repeatBeats || len(now) == 0) {
		return nil
	}
	s.last, s.beats = now, 0
	return now
}
