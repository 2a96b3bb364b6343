package pdfium

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

// cacheDir keeps the compiled library for all tests of this machine.
func cacheDir(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "docent-test", "wasm")
}

// The memory of a sandbox grows in place up to its limit. The memory of a new
// sandbox is empty.
func TestMemory(t *testing.T) {
	t.Parallel()
	const limit = 64 << 20
	l := New(cacheDir(t), true)
	t.Cleanup(func() {
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for range 2 {
		s, err := l.Start(t.Context(), limit)
		if err != nil {
			t.Fatal(err)
		}
		memory := s.module.Memory()
		first, err := s.Bytes(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, grown := memory.Grow((limit - memory.Size()) >> wasmPage); !grown {
			t.Error("it does not grow to its limit")
		}
		if after, err := s.Bytes(0, 1); err != nil || unsafe.SliceData(after) != unsafe.SliceData(first) {
			t.Error("growing moves it")
		}
		if _, grown := memory.Grow(1); grown || s.Used() != limit {
			t.Errorf("it grows beyond its limit, to %d", s.Used())
		}
		if left, _ := memory.ReadUint32Le(limit - 4); left != 0 {
			t.Error("there is something of the one before")
		}
		memory.WriteUint32Le(limit-4, 7)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
