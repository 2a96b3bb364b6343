package worker_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/ingest/intake"
	"docent/ingest/worker"
	"docent/internal/fault"
)

func TestMain(m *testing.M) {
	if worker.Requested() {
		os.Exit(worker.Main(context.Background()))
	}
	runTestSource()
	if what := os.Getenv(asServer); what != "" {
		os.Exit(serveTest(what))
	}
	goleak.VerifyTestMain(m)
}

// cacheDir returns a folder for the compiled PDF reader that stays between runs of the tests; "" if
// there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "docent-test", "wasm")
}

// thisProgram returns the command that starts a worker with the faults of the tests.
func thisProgram(t *testing.T) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe}, worker.Arguments()...)
}

// newPool returns a pool whose workers run the product, if DOCENT_BIN names it: only the pool has
// goroutines for the race detector, which makes readers slow.
func newPool(t testing.TB, cfg worker.PoolConfig) *worker.Pool {
	t.Helper()
	if product := os.Getenv("DOCENT_BIN"); product != "" && len(cfg.Command) == 0 {
		cfg.Command = append([]string{product}, worker.Arguments()...)
	}
	cfg.CacheDir = cacheDir()
	p, err := worker.NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return p
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSame checks that a worker reads documents like this process.
func TestSame(t *testing.T) {
	t.Parallel()
	p := newPool(t, worker.PoolConfig{Full: 1})
	local, err := worker.NewLocal(worker.Config{CacheDir: cacheDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close(context.WithoutCancel(t.Context())) })
	for name, data := range map[string][]byte{
		"manual.docx": read(t, "../extract/testdata/manual.docx"),
		"manual.pdf":  read(t, "../extract/testdata/manual.pdf"),
		"table.csv":   []byte("part,interval\n" + strings.Repeat("pump,4000\n", 500)),
		"a.md":        []byte("# Pump\n\nThe pump is serviced every 4,000 hours.\n"),
	} {
		src := intake.Source{Name: name, Data: data}
		got, err := p.Read(t.Context(), src)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := local.Read(t.Context(), src)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Title != want.Title || got.Media != want.Media || got.Language != want.Language ||
			got.Text != want.Text || len(got.Chunks) != len(want.Chunks) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
			continue
		}
		for i := range got.Chunks {
			if page := got.Chunks[i].Page; (page == nil) != (want.Chunks[i].Page == nil) || page != nil && *page != *want.Chunks[i].Page {
				t.Errorf("%s: passage %d is on another page", name, i)
			}
			if got.Chunks[i].Text != want.Chunks[i].Text || got.Chunks[i].Heading() != want.Chunks[i].Heading() {
				t.Errorf("%s: passage %d is %q, want %q", name, i, got.Chunks[i].Text, want.Chunks[i].Text)
			}
		}
	}
	src := intake.Source{Name: "a.bin", Data: []byte("\x00\x01\x02\x03")}
	got, err := p.Read(t.Context(), src)
	want, wanted := local.Read(t.Context(), src)
	if fault.KindOf(err) != fault.Invalid || fault.Message(err) != fault.Message(wanted) || got.Media != want.Media {
		t.Errorf("got %+v, %v; want %+v, %v", got, err, want, wanted)
	}
}

// TestKilledWorker: if something kills a worker, another one reads the document.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	ids := filepath.Join(t.TempDir(), "ids")
	p := newPool(t, worker.PoolConfig{Full: 1, Command: append([]string{"/bin/sh", "-c", `echo $$ >> "$0"; exec "$@"`, ids}, thisProgram(t)...)})
	src := intake.Source{Name: "a.txt", Data: []byte("The pump is red.")}
	for range 3 {
		if r, err := p.Read(t.Context(), src); err != nil || r.Text != "The pump is red." {
			t.Fatalf("%q, %v", r.Text, err)
		}
		all := strings.Fields(string(read(t, ids)))
		id, err := strconv.Atoi(all[len(all)-1])
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if all := strings.Fields(string(read(t, ids))); len(all) != 3 {
		t.Errorf("the workers were %v", all)
	}
}

// TestPages displays a page from a worker.
func TestPages(t *testing.T) {
	t.Parallel()
	p := newPool(t, worker.PoolConfig{Full: 1})
	data := intake.Source{Data: read(t, "../extract/testdata/manual.pdf")}
	page, err := p.ReadPage(t.Context(), data, 0)
	if err != nil || page.Pages == 0 || page.Bytes() < 1000 {
		t.Fatalf("%+v, %v", page, err)
	}
	png, pages, err := p.DrawPage(t.Context(), data, 0, 300)
	if err != nil || pages != page.Pages || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Fatalf("%d pages, %d bytes, %v", pages, len(png), err)
	}
	if _, _, err := p.DrawPage(t.Context(), data, 99, 300); fault.KindOf(err) != fault.NotFound {
		t.Errorf("page 99: %v", err)
	}
}

// bomb is a Word document with one part that inflates to blanks.
func bomb(t testing.TB, blanks int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte(" "), blanks)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAlone makes workers die in every way while other documents are read.
func TestAlone(t *testing.T) {
	t.Parallel()
	p := newPool(t, worker.PoolConfig{Quick: 1, Full: 1, Command: thisProgram(t)})
	p.SetCPU(3 * time.Second)
	var wg sync.WaitGroup
	for name, want := range map[string]string{
		worker.DieByMemory: "too complex: it",
		worker.DieByCPU:    "too complex: it",
		worker.DieByPanic:  "damaged: docent's reader gave up on it",
		worker.DieByExit:   "damaged: docent's reader broke on it",
		worker.DieByKill:   "the system stopped docent's reader twice",
		worker.Dial:        "operation not permitted",
		worker.OpenFile:    "permission denied",
		worker.Exec:        "permission denied",
	} {
		wg.Go(func() {
			_, err := p.Read(t.Context(), intake.Source{Name: "die." + name, Data: []byte(worker.TestMark + name)})
			if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), want) && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		})
		wg.Go(func() {
			if r, err := p.Read(t.Context(), intake.Source{Name: "a.txt", Data: []byte("The pump is red.")}); err != nil || r.Text != "The pump is red." {
				t.Errorf("beside %s: %q, %v", name, r.Text, err)
			}
		})
	}
	// Endless recursion reaches either the memory limit or the limit of the stack.
	wg.Go(func() {
		_, err := p.Read(t.Context(), intake.Source{Name: "die.stack", Data: []byte(worker.TestMark + worker.DieByStack)})
		said := fault.Message(err)
		if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(said, "too complex: it") && said != "damaged: docent's reader broke on it" {
			t.Errorf("stack: %v", err)
		}
	})
	wg.Wait()
	if _, err := p.Read(t.Context(), intake.Source{Name: "a.docx", Data: bomb(t, 129<<20)}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a bomb: %v", err)
	}
}
