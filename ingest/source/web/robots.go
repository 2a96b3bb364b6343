package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/temoto/robotstxt"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// maxRobots bounds robots.txt. The rest is ignored, as the standard allows.
// maxDelay bounds the Crawl-delay.
const (
	maxRobots = 500 << 10
	maxDelay  = 10 * time.Second
)

// rules are the robots.txt rules of one host.
type rules struct {
	once  sync.Once
	group *robotstxt.Group // nil allows everything
	err   error            // why robots.txt could not be read
}

// robots reports whether robots.txt allows an address. An error means that
// robots.txt is temporarily unreadable, so the address must not be requested.
func (r *run) robots(ctx context.Context, u *url.URL) (bool, error) {
	if r.src.cfg.IgnoreRobots {
		return true, nil
	}
	r.mu.Lock()
	ru := r.rules[u.Host]
	if ru == nil {
		ru = &rules{}
		r.rules[u.Host] = ru
	}
	r.mu.Unlock()
	ru.once.Do(func() { ru.group, ru.err = r.src.readRobots(ctx, u) })
	if ru.err != nil {
		return false, ru.err
	}
	if ru.group == nil {
		return true, nil
	}
	target := u.EscapedPath()
	if u.RawQuery != "" {
		target += "?" + u.RawQuery
	}
	return ru.group.Test(target), nil
}

func (s *Source) readRobots(ctx context.Context, u *url.URL) (*robotstxt.Group, error) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	var body []byte
	for range 6 { // the first request and five redirects
		res, err := s.get(ctx, at, state{})
		if err != nil {
			return nil, err
		}
		if res.StatusCode >= 300 && res.StatusCode < 400 {
			res.Body.Close()
			if at, err = at.Parse(res.Header.Get("Location")); err != nil {
				return nil, fault.Wrap(fault.Unavailable, err,
					"robots_redirect_invalid", "robots.txt of %s redirects to a wrong address", u.Host)
			}
			continue
		}
		body, err = io.ReadAll(io.LimitReader(res.Body, maxRobots))
		res.Body.Close()
		switch {
		case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests:
			return nil, fault.New(fault.Unavailable,
				"robots_unreadable", "robots.txt of %s cannot be read: %w", u.Host, dial.StatusError(res))
		case res.StatusCode != http.StatusOK:
			return nil, nil // no rules allow everything
		case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil, dial.Explain(err, u.Host)
		}
		break
	}
	group := parseRobots(body)
	if group != nil && group.CrawlDelay > 0 {
		s.mu.Lock()
		s.interval = max(s.interval, min(group.CrawlDelay, maxDelay))
		s.mu.Unlock()
	}
	return group, nil
}

// parseRobots returns the rules for docent, or nil if there are none.
func parseRobots(body []byte) *robotstxt.Group {
	data, err := robotstxt.FromBytes(body)
	if err != nil {
		return nil
	}
	return data.FindGroup("docent")
}
