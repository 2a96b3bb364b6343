package auth

import (
	"net/netip"
	"sync"
	"time"
)

// knownFor is the time for which an address at which a user has signed in is
// remembered.
const knownFor = 30 * 24 * time.Hour

// knownAddresses remembers at which addresses users have signed in. Wrong attempts
// from elsewhere do not slow a user down at these. It is safe for concurrent use.
type knownAddresses struct {
	now func() time.Time

	mu sync.Mutex
	at map[string]time.Time // by user and address; at most maxKeys
}

func newKnownAddresses(now func() time.Time) *knownAddresses {
	return &knownAddresses{now: now, at: map[string]time.Time{}}
}

// add remembers that a user has signed in at an address.
func (k *knownAddresses) add(name, remote string) {
	if remote == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := name + " " + remote
	if _, known := k.at[key]; !known && len(k.at) >= maxKeys {
		for other := range k.at { // a random one
			delete(k.at, other)
			break
		}
	}
	k.at[key] = k.now()
}

// attempts returns the key by which wrong attempts of a user at an address are
// counted. All unknown addresses share a key.
func (k *knownAddresses) attempts(name, remote string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := name + " " + remote
	if at, known := k.at[key]; known && k.now().Sub(at) < knownFor {
		return key
	}
	return name
}

// siteOf returns the /48 network of an IPv6 address. A provider gives a customer up
// to a /48, which has 65,536 of the networks that [Remote] returns. For other
// addresses it returns "".
func siteOf(remote string) string {
	prefix, err := netip.ParsePrefix(remote)
	if err != nil || !prefix.Addr().Is6() {
		return ""
	}
	site, err := prefix.Addr().Prefix(48)
	if err != nil {
		return ""
	}
	return site.String()
}
