package pages

import (
	"bytes"
	"testing"
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
		k.put(pageKey{"b", i, 200}, cachedPage{png: bytes.Repeat([]byte{1}, 1<<20)})
		k.put(pageKey{"b", i, 200}, cachedPage{png: []byte("a second time")})
		check()
	}
	if got, ok := k.get(pageKey{"b", 39, 200}); !ok || len(got.png) != 1<<20 {
		t.Error("the newest is not kept")
	}
	k.put(pageKey{"c", 0, 200}, cachedPage{png: make([]byte, maxCachedBytes/2)})
	if _, ok := k.get(pageKey{"c", 0, 200}); ok {
		t.Error("one page pushes out half of all")
	}
	check()
}
