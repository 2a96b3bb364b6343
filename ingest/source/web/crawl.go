package web

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
)

// maxFailures is the number of consecutive failed pages that ends a listing.
// The server is then probably down.
const maxFailures = 20

// run is one listing.
type run struct {
	src   *Source
	known source.Known

	mu    sync.Mutex
	rules map[string]*rules // by host
}

// entry is an address in the queue.
type entry struct {
	key   string
	depth int
}

// List yields the pages in the order in which they are found. The order does not
// depend on the speed of requests.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		s.mu.Lock()
		s.spool.reset()
		s.scope = newScope(s.start, s.cfg)
		s.interval = time.Duration(s.cfg.DelayMillis) * time.Millisecond
		s.mu.Unlock()
		r := &run{src: s, known: known, rules: make(map[string]*rules)}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if err := r.list(ctx, cancel, yield); err != nil {
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.start, err))
		}
	}
}

// allowed reports whether a canonical address belongs to the source.
func (r *run) allowed(key string) bool {
	u, err := url.Parse(key)
	return err == nil && r.src.scope.allows(u)
}

// wordless are file name endings of documents without text.
var wordless = map[string]bool{
	".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".avif": true, ".ico": true, ".svg": true,
	".bmp": true, ".tif": true, ".tiff": true, ".css": true, ".js": true, ".mjs": true, ".map": true, ".woff": true,
	".woff2": true, ".ttf": true, ".otf": true, ".eot": true, ".mp3": true, ".mp4": true, ".m4a": true, ".webm": true,
	".ogg": true, ".wav": true, ".avi": true, ".mov": true, ".zip": true, ".gz": true, ".bz2": true, ".xz": true,
	".zst": true, ".7z": true, ".tar": true, ".tgz": true, ".rar": true, ".jar": true, ".exe": true, ".msi": true,
	".dmg": true, ".iso": true, ".deb": true, ".rpm": true, ".apk": true, ".whl": true, ".bin": true, ".so": true,
}

// follows reports whether a crawl requests the address of a link.
func (r *run) follows(key string) bool {
	u, err := url.Parse(key)
	return err == nil && r.src.scope.allows(u) && !wordless[strings.ToLower(path.Ext(u.Path))]
}

// job is a running request.
type job struct {
	entry
	done chan page
}

// list requests the pages with several workers and handles the results in
// order. It returns nil after the caller broke the loop.
func (r *run) list(ctx context.Context, cancel func(), yield func(source.Item, error) bool) error {
	f, err := r.first(ctx)
	if err != nil {
		return err
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	slots := make(chan struct{}, r.src.cfg.Parallel)
	var running []job
	failures := 0
	for f.more() || len(running) > 0 {
		for f.more() && len(running) < 4*r.src.cfg.Parallel {
			j := job{f.take(), make(chan page, 1)}
			running = append(running, j)
			workers.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				j.done <- r.fetch(ctx, j.key)
			})
		}
		j := running[0]
		running = running[1:]
		p := <-j.done
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.item != nil && fault.KindOf(p.item.Err).Retryable() {
			if failures++; failures >= maxFailures {
				return fault.New(fault.Unavailable, "web_pages_unreadable", "%d pages in a row could not be read: %w", failures, p.err)
			}
		} else {
			failures = 0
		}
		if j.depth == 0 && f.start {
			if err := r.began(&f, &p); err != nil {
				return err
			}
		}
		if p.item != nil && !yield(*p.item, nil) {
			return nil
		}
		f.found(j.entry, p)
	}
	switch {
	case f.start:
		return fault.New(fault.Invalid, "web_redirect_loop", "the page redirects in a circle")
	case f.cut:
		return fault.New(fault.Invalid, "web_too_many_pages",
			"the site has more than %d pages; choose a part with prefixes or exclude, or raise max_pages", f.maxPages)
	}
	return nil
}

// frontier is a queue that contains each address once.
type frontier struct {
	queue    []entry
	at       int
	seen     map[string]bool
	maxDepth int // 0 if links are not followed
	maxPages int
	start    bool // the first page has not been read
	cut      bool // there were more than maxPages addresses
}

// first returns the initial queue of a listing.
func (r *run) first(ctx context.Context) (frontier, error) {
	f := frontier{seen: make(map[string]bool), maxPages: r.src.cfg.MaxPages}
	if r.src.cfg.Mode != ModeSitemap {
		f.start = true
		if r.src.cfg.Mode == ModeCrawl {
			f.maxDepth = r.src.cfg.Depth
		}
		f.push(r.src.start.String(), 0)
		return f, nil
	}
	pages, err := r.sitemapPages(ctx)
	f.cut = len(pages) > f.maxPages
	for _, key := range pages {
		if r.allowed(key) {
			f.push(key, 0)
		}
	}
	return f, err
}

func (f *frontier) more() bool { return f.at < len(f.queue) }

func (f *frontier) take() entry {
	e := f.queue[f.at]
	f.at++
	if f.at > 1000 && f.at > len(f.queue)/2 { // frees the used part
		f.queue = append([]entry(nil), f.queue[f.at:]...)
		f.at = 0
	}
	return e
}

func (f *frontier) push(key string, depth int) {
	if f.seen[key] {
		return
	}
	if len(f.seen) >= f.maxPages {
		f.cut = true
		return
	}
	f.seen[key] = true
	f.queue = append(f.queue, entry{key, depth})
}

// found adds the addresses of a page's links.
func (f *frontier) found(e entry, p page) {
	if p.move != "" && p.err == nil {
		f.push(p.move, e.depth)
	}
	if e.depth >= f.maxDepth {
		return
	}
	for _, key := range p.links {
		f.push(key, e.depth+1)
	}
}

// began handles the first page. If it fails, the listing fails, because a crawl
// would find nothing. An exception is a single page that no longer exists. If
// the first page redirects to https, to the www host, or within its host, began
// moves the scope of the source along.
func (r *run) began(f *frontier, p *page) error {
	s := r.src
	if p.move != "" {
		to, err := url.Parse(p.move)
		if err != nil || !s.scope.follows(to) || len(f.seen) > 5 {
			return fault.New(fault.Invalid, "web_page_moved", "the page redirects to %s; use that address", p.move)
		}
		if p.err != nil { // outside of the scope so far
			s.mu.Lock()
			s.scope = newScope(to, s.cfg)
			s.mu.Unlock()
			p.err, p.item = nil, nil
		}
		return nil
	}
	f.start = false
	if p.err == nil {
		return nil
	}
	if s.cfg.Mode == ModePage && (p.item != nil || fault.KindOf(p.err) == fault.NotFound) {
		return nil
	}
	return p.err
}
