package api

import (
	"container/list"
	"sync"

	"docent/ingest/extract/pdf"
)

// Limits of what is kept of pages. Reading one again from a PDF of 10 MB takes
// about a tenth of a second, so it is for stepping back and forth and for the
// marks of several passages, not for whole documents.
const (
	// maxKeptPages bounds how many pages are kept.
	maxKeptPages = 128
	// maxKeptBytes bounds the memory they take.
	maxKeptBytes = 16 << 20
)

// keptPage is a page of a PDF with a certain hash, drawn in a width or, if that
// is 0, read.
type keptPage struct {
	hash  string
	index int
	width int
}

// drawnPage is what is kept.
type drawnPage struct {
	png   []byte
	pages int
	read  *pdf.Page // of a page that was read
}

func (d drawnPage) bytes() int {
	if d.read != nil {
		return d.read.Bytes()
	}
	return len(d.png)
}

// keptPages are the pages that were used last. What is found needs the hash of
// the PDF, which only its readers have.
type keptPages struct {
	mu    sync.Mutex
	by    map[keptPage]*list.Element
	order *list.List // of keptEntry, the last used first
	bytes int
}

type keptEntry struct {
	key  keptPage
	page drawnPage
}

func newKeptPages() *keptPages {
	return &keptPages{by: map[keptPage]*list.Element{}, order: list.New()}
}

func (k *keptPages) get(key keptPage) (drawnPage, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.by[key]
	if e == nil {
		return drawnPage{}, false
	}
	k.order.MoveToFront(e)
	return e.Value.(keptEntry).page, true //nolint:forcetypeassert // nothing else is in it
}

func (k *keptPages) put(key keptPage, page drawnPage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by[key] != nil || page.bytes() > maxKeptBytes/4 {
		return
	}
	k.by[key] = k.order.PushFront(keptEntry{key, page})
	for k.bytes += page.bytes(); k.bytes > maxKeptBytes || k.order.Len() > maxKeptPages; {
		old := k.order.Remove(k.order.Back()).(keptEntry) //nolint:forcetypeassert // as above
		delete(k.by, old.key)
		k.bytes -= old.page.bytes()
	}
}
