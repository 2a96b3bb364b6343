//go:build unix

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/ingest/worker"
	"docent/internal/fault"
)

func runTestSource() {
	if worker.SourceRequested() {
		os.Exit(worker.SourceMain(context.Background(), func(kind string, s source.Settings, _ bool, folder string) (source.Source, error) {
			return testSource{kind, s, folder}, nil
		}))
	}
}

// testSource is a source that a worker process reads.
type testSource struct {
	kind   string
	s      source.Settings
	folder string
}

func (p testSource) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		switch p.kind {
		case "memory":
			var all [][]byte
			for {
				all = append(all, []byte(strings.Repeat("x", 1<<20)))
				if len(all) == 0 {
					return
				}
			}
		case "crash":
			os.Exit(3)
		}
		for i := range 1000 {
			it := source.Item{Key: fmt.Sprint(i), Name: "n", State: []byte{byte(i), 0, 255}}
			state, ok := known(it.Key)
			it.Unchanged = ok && string(state) == string(it.State)
			if i == 7 {
				it.Err = fault.New(fault.NotFound, "test_sentence", "item %d is gone", i)
			}
			if !yield(it, nil) {
				return
			}
		}
		if p.kind == "broken" {
			yield(source.Item{}, fault.New(fault.Unavailable, "test_sentence", "the server went away"))
		}
	}
}

func (p testSource) Open(ctx context.Context, it source.Item) (io.ReadCloser, error) {
	var err error
	switch it.Key {
	case "0": // larger than a frame
		return io.NopCloser(strings.NewReader(strings.Repeat("large ", 1<<19))), nil
	case "1":
		_, err = os.ReadFile("/etc/passwd")
	case "2":
		_, err = (&net.Dialer{}).DialContext(ctx, "tcp", p.s.Location)
	case "3":
		err = os.WriteFile(filepath.Join(p.folder, "kept"), []byte("x"), 0o600)
	case "4":
		return p.s.Dial(ctx, "tcp", p.s.Location)
	case "5":
		return io.NopCloser(io.MultiReader(strings.NewReader("half"), broken{})), nil
	}
	return io.NopCloser(strings.NewReader(fmt.Sprint("item ", it.Key, " ", err))), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestConfinedSource(t *testing.T) {
	t.Parallel()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "the server's words")
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	cfg := worker.SourceConfig{Dial: (&net.Dialer{}).DialContext}
	folder := t.TempDir()
	src := worker.NewConfined(cfg, "good", source.Settings{Location: l.Addr().String()}, folder)
	t.Cleanup(func() { _ = src.Close() })
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.States) != 998 || fault.KindOf(k.Failed["7"]) != fault.NotFound || k.Failed["5"] == nil {
		t.Errorf("%d items, failed %v, error %v", len(k.States), k.Failed, k.Err)
	}
	for key, want := range map[string]string{"0": strings.Repeat("large ", 1<<19), "1": "denied", "2": "not permitted", "3": "item 3 <nil>", "4": "the server's words"} {
		if !strings.Contains(k.Bodies[key], want) {
			t.Errorf("%s: %.200s", key, k.Bodies[key])
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "kept")); err != nil {
		t.Error(err)
	}
	k.Sync(t, src)
	if len(k.Changed) != 0 {
		t.Errorf("%d changed", len(k.Changed))
	}
}

func TestConfinedSourceFails(t *testing.T) {
	t.Parallel()
	private := errors.New("it is private")
	for kind, want := range map[string]string{"memory": "source_memory", "crash": "source_worker_ended", "broken": "test_sentence"} {
		src := worker.NewConfined(worker.SourceConfig{
			Dial: func(context.Context, string, string) (net.Conn, error) { return nil, private },
		}, kind, source.Settings{}, "")
		var k sourcetest.Kept
		k.Sync(t, src)
		if fault.TextOf(k.Err).ID != want {
			t.Errorf("%s: %v", kind, k.Err)
		}
		_ = src.Close()
	}
}
