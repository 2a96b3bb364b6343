package pdf

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
)

// A sandbox for pages has its bounded memory from the beginning, so that growth
// copies nothing, and hands it on empty.
func TestSandboxMemory(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "docent-test", "wasm")
	}
	e, err := New(Config{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	for range 2 {
		err := e.drawing.inside(t.Context(), data, time.Minute, func(_ context.Context, p pdfium.Pdfium, _ references.FPDF_DOCUMENT, _ int) error {
			memory, buffer, _ := memoryOf(p)
			if memory == nil {
				t.Error("the library has changed: its memory is not found, and is copied when it grows")
				return nil
			}
			first, has := buffer.Pointer(), memory.Size()>>wasmPage
			if _, grown := memory.Grow(drawMemory - has); !grown || buffer.Pointer() != first {
				t.Errorf("it does not grow in its place: %v", grown)
			}
			if _, grown := memory.Grow(1); grown || memory.Size() != drawMemory<<wasmPage {
				t.Errorf("it grows beyond its bound, to %d", memory.Size())
			}
			if left, _ := memory.ReadUint32Le(memory.Size() - 4); left != 0 {
				t.Error("there is something of the one before")
			}
			memory.WriteUint32Le(memory.Size()-4, 7)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
