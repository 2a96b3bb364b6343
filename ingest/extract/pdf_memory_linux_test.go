package extract_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest/extract"
	"docent/ingest/extract/pdf"
	"docent/internal/fault"
)

// objectsPDF returns a PDF with one page. The content of the page is object 4,
// and further objects follow.
func objectsPDF(resources string, content []byte, more ...[]byte) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n")
	fmt.Fprintf(&b, "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>%s>>>>endobj\n", resources)
	for i, object := range append([][]byte{content}, more...) {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", 4+i, object)
	}
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF\n")
	return b.Bytes()
}

// streamObject returns a stream with additional entries in its dictionary.
func streamObject(dictionary, data string) []byte {
	return fmt.Appendf(nil, "<<%s/Length %d>>stream\n%s\nendstream", dictionary, len(data), data)
}

// packedObject returns a stream that repeats the same bytes.
func packedObject(t *testing.T, dictionary, data string, times int) []byte {
	t.Helper()
	var b strings.Builder
	z := zlib.NewWriter(&b)
	for range times {
		if _, err := z.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return streamObject(dictionary+"/Filter/FlateDecode", b.String())
}

const pageText = " BT /F1 24 Tf 72 700 Td (The grommet is at seven.) Tj ET\n"

// heavyPDFs are small files with a page that needs much memory.
func heavyPDFs(t *testing.T) map[string][]byte {
	t.Helper()
	const shape = "0 0 m 612 792 l 10 700 l 500 3 l h f*\n"
	// A form calls another form ten times, which calls another one ten times, and
	// so on.
	var forms [][]byte
	for i := range 8 {
		forms = append(forms, streamObject(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X %d 0 R>>>>", 6+i), strings.Repeat("/X Do ", 10)))
	}
	forms = append(forms, streamObject("/Type/XObject/Subtype/Form/BBox[0 0 612 792]", shape))
	return map[string][]byte{
		"forms": objectsPDF("/XObject<</X 5 0 R>>", streamObject("", "/X Do"+pageText), forms...),
		"paths": objectsPDF("", packedObject(t, "", shape, 1_500_000)),
		"bomb":  objectsPDF("", packedObject(t, "", strings.Repeat("%aaaaaaa", 128)+"\n", 900_000)),
	}
}

// resident returns the resident memory of this process.
func resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// mostResident returns how far the memory of this process grew at most during
// work.
func mostResident(t *testing.T, work func()) int {
	t.Helper()
	debug.FreeOSMemory()
	before := resident(t)
	done := make(chan struct{})
	go func() { defer close(done); work() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for most := before; ; {
		select {
		case <-tick.C:
			most = max(most, resident(t))
		case <-done:
			return most - before
		}
	}
}

// maxTaken bounds the memory of all sandboxes together, including the overhead
// of the race detector.
const maxTaken = 1 << 30

// TestPageMemory: drawing any page takes bounded memory and frees it. The test
// is not parallel because it measures the memory of the whole process.
func TestPageMemory(t *testing.T) { //nolint:paralleltest // see above
	e, err := extract.New(extract.Config{CacheDir: pdfCache(t), PageTimeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	untilRead := func(read func() error) { // a busy machine may need longer than PageTimeout for the simplest page
		t.Helper()
		err := read()
		for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); {
			err = read()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	untilRead(func() error { _, err := e.ReadPage(t.Context(), sheets(sheet{}), 0); return err }) // the library is loaded
	heavy := heavyPDFs(t)
	for _, name := range []string{"forms", "paths", "bomb"} {
		data := heavy[name]
		most := mostResident(t, func() {
			var wg sync.WaitGroup
			for range 2 * pdf.PageDrawers { // later sandboxes reuse the memory of earlier ones
				wg.Go(func() {
					if _, _, err := e.DrawPage(t.Context(), data, 0, 1200); err != nil && fault.KindOf(err) != fault.Invalid {
						t.Errorf("%s, drawn: %v", name, err)
					}
				})
			}
			for range pdf.PageDrawers {
				wg.Go(func() {
					if _, err := e.ReadPage(t.Context(), data, 0); err != nil && fault.KindOf(err) != fault.Invalid {
						t.Errorf("%s, read: %v", name, err)
					}
				})
			}
			wg.Wait()
		})
		t.Logf("%s, %d bytes: %d MiB", name, len(data), most>>20)
		if most > maxTaken {
			t.Errorf("%s: pages took %d MiB", name, most>>20)
		}
	}
	// Stopped and failed drawings free their memory.
	untilRead(func() error { _, _, err := e.DrawPage(t.Context(), sheets(sheet{}), 0, 200); return err })
}
