package pages

import (
	"bytes"
	"errors"
	"testing"

	"docent/internal/fault"
)

func TestCache(t *testing.T) {
	t.Parallel()
	k := newCache()
	check := func() {
		t.Helper()
		n := 0
		for e := k.order.Front(); e != nil; e = e.Next() {
			n += e.Value.(cacheEntry).page.bytes()
		}
		if n != k.bytes || k.bytes > maxCachedBytes || k.order.Len() > maxCachedPages || len(k.by) != k.order.Len() {
			t.Fatalf("%d bytes counted as %d in %d pages of %d", n, k.bytes, k.order.Len(), len(k.by))
		}
	}
	for i := range 3 * maxCachedPages {
		k.put(pageKey{hash: "a", index: i}, cachedPage{png: []byte{1}})
		k.get(pageKey{hash: "a"}) // used often, so it stays
		check()
	}
	if _, ok := k.get(pageKey{hash: "a"}); !ok {
		t.Error("what was used last is gone")
	}
	if _, ok := k.get(pageKey{hash: "a", index: 1}); ok {
		t.Error("what was not used is kept")
	}
	for i := range 40 {
		k.put(pageKey{hash: "b", index: i, width: 200}, cachedPage{png: bytes.Repeat([]byte{1}, 1<<20)})
		k.put(pageKey{hash: "b", index: i, width: 200}, cachedPage{png: []byte("a second time")})
		check()
	}
	if got, ok := k.get(pageKey{hash: "b", index: 39, width: 200}); !ok || len(got.png) != 1<<20 {
		t.Error("the newest is not kept")
	}
	k.put(pageKey{hash: "c", index: 0, width: 200}, cachedPage{png: make([]byte, maxCachedBytes/2)})
	if _, ok := k.get(pageKey{hash: "c", index: 0, width: 200}); ok {
		t.Error("one page pushes out half of all")
	}
	check()
	slow := fault.New(fault.Invalid, "test_slow", "it takes too long")
	for width, want := range map[int]error{0: nil, 200: slow, 400: slow} { // a failure counts for each width, not for reading
		k.fail(pageKey{hash: "d", width: 300}, slow)
		if _, found, err := k.find(pageKey{hash: "d", width: width}); found || !errors.Is(err, want) {
			t.Errorf("width %d: %v, want %v", width, err, want)
		}
	}
	k.fail(pageKey{hash: "e"}, fault.New(fault.Busy, "test_busy", "try again"))
	if _, _, err := k.find(pageKey{hash: "e"}); err != nil {
		t.Errorf("a failure that is not the fault of the PDF is kept: %v", err)
	}
	check()
}
