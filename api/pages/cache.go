package pages

import (
	"container/list"
	"sync"

	"docent/ingest/extract/pdf"
	"docent/internal/fault"
)

// Limits of the cache. Reading a page again from a PDF of 10 MB takes about a
// tenth of a second. The cache serves users who step back and forth, and the
// marks of several passages on a page, not whole documents.
const (
	// maxCachedPages bounds the pages in the cache.
	maxCachedPages = 128
	// maxCachedBytes bounds the memory of the cache.
	maxCachedBytes = 16 << 20
	// failureBytes is the counted memory of a failure.
	failureBytes = 256
)

// pageKey identifies a page of the PDF with a hash. A width of 0 means that the
// page is read, not drawn.
type pageKey struct {
	hash    string
	index   int
	width   int
	failure bool
}

// cachedPage is a page that was drawn or read.
type cachedPage struct {
	png   []byte
	pages int
	read  *pdf.Page // nil for a drawn page
	// failed is the reason why the page cannot be made. A page that took the whole
	// time once would take it again with each request.
	failed error
}

func (d cachedPage) bytes() int {
	switch {
	case d.failed != nil:
		return failureBytes
	case d.read != nil:
		return d.read.Bytes()
	default:
		return len(d.png)
	}
}

// cache keeps the pages that were used last. A lookup needs the hash of the PDF,
// so only users who can read the document find its pages.
type cache struct {
	mu    sync.Mutex // guards the fields below
	by    map[pageKey]*list.Element
	order *list.List // of cacheEntry, last used first
	bytes int
}

type cacheEntry struct {
	key  pageKey
	page cachedPage
}

// failureKey is the key of the failure to make a page, at any width.
func (k pageKey) failureKey() pageKey {
	if k.width > 0 {
		k.width = 1
	}
	k.failure = true
	return k
}

// find returns a page, or the remembered failure to make it.
func (c *cache) find(key pageKey) (page cachedPage, found bool, err error) {
	if page, found = c.get(key); found {
		return page, true, nil
	}
	failure, _ := c.get(key.failureKey())
	return cachedPage{}, false, failure.failed
}

// fail remembers the failure to make a page, if the PDF is the reason.
func (c *cache) fail(key pageKey, err error) {
	if fault.KindOf(err) == fault.Invalid {
		c.put(key.failureKey(), cachedPage{failed: err})
	}
}

func newCache() *cache {
	return &cache{by: map[pageKey]*list.Element{}, order: list.New()}
}

func (c *cache) get(key pageKey) (cachedPage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[key]
	if e == nil {
		return cachedPage{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cacheEntry).page, true //nolint:forcetypeassert // the list has only entries
}

func (c *cache) put(key pageKey, page cachedPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[key] != nil || page.bytes() > maxCachedBytes/4 {
		return
	}
	c.by[key] = c.order.PushFront(cacheEntry{key, page})
	for c.bytes += page.bytes(); c.bytes > maxCachedBytes || c.order.Len() > maxCachedPages; {
		old := c.order.Remove(c.order.Back()).(cacheEntry) //nolint:forcetypeassert // as above
		delete(c.by, old.key)
		c.bytes -= old.page.bytes()
	}
}
