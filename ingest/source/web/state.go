package web

import (
	"encoding/json"
	"net/url"
)

// state is the stored state of a page between two syncs.
type state struct {
	ETag         string   `json:"e,omitempty"`
	LastModified string   `json:"m,omitempty"`
	Hash         string   `json:"h,omitempty"` // of the body; "" if it was not read
	Links        []string `json:"l,omitempty"` // canonical; links to the page's host have no scheme and host
}

// maxState bounds a stored state. Larger states are not from this package.
const maxState = 4 << 20

// decodeState parses a stored state. It ignores a damaged state, so the page is
// read again.
func decodeState(data []byte) (state, bool) {
	var st state
	if len(data) == 0 || len(data) > maxState || json.Unmarshal(data, &st) != nil {
		return state{}, false
	}
	if !headerSafe(st.ETag) || !headerSafe(st.LastModified) || len(st.Links) > maxLinks {
		return state{}, false
	}
	return st, true
}

func (st state) encode() []byte {
	data, err := json.Marshal(st)
	if err != nil { // marshaling strings never fails
		return nil
	}
	return data
}

// headerSafe reports whether a value is valid in a header.
func headerSafe(v string) bool {
	if len(v) > 1000 {
		return false
	}
	for i := range len(v) {
		if v[i] < ' ' || v[i] == 0x7f {
			return false
		}
	}
	return true
}

// shorten removes the scheme and host from links to the page's own host.
func shorten(page *url.URL, links []string) []string {
	base := page.Scheme + "://" + page.Host
	out := make([]string, len(links))
	for i, l := range links {
		if len(l) > len(base) && l[:len(base)] == base && l[len(base)] == '/' {
			l = l[len(base):]
		}
		out[i] = l
	}
	return out
}

// lengthen reverses shorten. It drops links that are not canonical.
func lengthen(page *url.URL, links []string) []string {
	out := make([]string, 0, len(links))
	for _, l := range links {
		if key, ok := resolve(page, l); ok {
			out = append(out, key)
		}
	}
	return out
}

// spool keeps bodies between listing and opening, so that a changed page is
// downloaded once. The owner's mutex guards it.
type spool struct {
	bodies map[string][]byte
	size   int
}

// maxSpool bounds the bytes in a spool. Further bodies are downloaded again.
const maxSpool = 32 << 20

func (s *spool) reset() { s.bodies, s.size = nil, 0 }

func (s *spool) put(key string, body []byte) {
	if s.size+len(body) > maxSpool {
		return
	}
	if s.bodies == nil {
		s.bodies = make(map[string][]byte)
	}
	s.size += len(body) - len(s.bodies[key])
	s.bodies[key] = body
}

func (s *spool) take(key string) ([]byte, bool) {
	body, ok := s.bodies[key]
	if ok {
		s.size -= len(body)
		delete(s.bodies, key)
	}
	return body, ok
}
