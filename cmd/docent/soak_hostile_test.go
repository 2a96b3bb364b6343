//go:build soak

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// soakUploads is how long hostile files are uploaded.
	soakUploads = time.Minute
	// soakUploaders is how many clients upload them.
	soakUploaders = 4
)

// moreHostile returns hostile files that are too many or too large for the
// short tests.
func moreHostile(t *testing.T) map[string][]byte {
	t.Helper()
	random := make([]byte, 3_000_000)
	source := rand.NewChaCha8([32]byte{1})
	if _, err := source.Read(random); err != nil {
		t.Fatal(err)
	}
	var words, wide strings.Builder
	for i := range 600_000 {
		fmt.Fprintf(&words, "w%x ", i*7919%999_983)
	}
	wide.WriteString(strings.Repeat("column,", 5_000) + "\n")
	wide.WriteString(strings.Repeat(strings.Repeat("1,", 5_000)+"\n", 100))
	files := map[string]string{}
	for i := range 2_000 {
		files[fmt.Sprintf("%d.txt", i)] = fmt.Sprintf("File %d describes seal %d.", i, i)
	}
	laughs := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol">`
	for i := range 12 {
		laughs += fmt.Sprintf("<!ENTITY %c %q>", 'b'+i, strings.Repeat(fmt.Sprintf("&%c;", 'a'+i), 10))
	}
	return map[string][]byte{
		"random.bin":    random,
		"base64.txt":    []byte(base64.StdEncoding.EncodeToString(random)),
		"words.txt":     []byte(words.String()),
		"wide.csv":      []byte(wide.String()),
		"brackets.md":   bytes.Repeat([]byte("["), 1_000_000),
		"combining.txt": []byte("e" + strings.Repeat("\u0301", 1_000_000)),
		"deep.html":     bytes.Repeat([]byte("<div>"), 100_000),
		"deep.xml":      bytes.Repeat([]byte("<a>"), 100_000),
		"deep.json":     bytes.Repeat([]byte("["), 100_000),
		"deep.rtf":      []byte(`{\rtf1 ` + strings.Repeat("{", 1_000_000)),
		"stars.org":     bytes.Repeat([]byte("*"), 1_000_000),
		"laughs.svg":    []byte(laughs + "]><svg><text>&m;</text></svg>"),
		"broken.pdf":    append([]byte("%PDF-1.4\n"), random[:500_000]...),
		"bomb.zip":      zipped(t, map[string]string{"a.txt": strings.Repeat(" ", 100_000_000)}),
		"many.zip":      zipped(t, files),
	}
}

// outcome is one request of the soak test.
type outcome struct {
	took   time.Duration
	status int
	body   string
}

// call makes a request that may last longer than patience and that may end with
// the test.
func call(ctx context.Context, at, contentType string, body []byte) outcome {
	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return outcome{body: err.Error()}
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return outcome{body: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return outcome{body: err.Error()}
	}
	return outcome{took: time.Since(start), status: resp.StatusCode, body: string(text)}
}

// formOf puts a file into the form of an upload.
func formOf(t *testing.T, name string, data []byte) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return form.FormDataContentType(), b.Bytes()
}

// TestSoakHostileUploads has four clients upload hostile files for a minute.
// Meanwhile a question is asked every 200 ms and an innocent file is uploaded
// every two seconds. All of these succeed, and each hostile file gets a result.
// The log has the latencies.
func TestSoakHostileUploads(t *testing.T) {
	onBothStores(t, func(t *testing.T, env []string) {
		_, at := serve(t, env)
		if r := sendFile(t, at, "pump.md", []byte("# Feed pump\n\nThe feed pump is serviced every 4,000 hours.\n")); r.Status != "added" {
			t.Fatalf("an innocent file is %s: %s", r.Status, r.Reason)
		}
		files := hostile(t)
		for name, data := range moreHostile(t) {
			files[name] = data
		}
		names := make([]string, 0, len(files))
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		ctx, cancel := context.WithTimeout(t.Context(), 2*soakUploads)
		defer cancel()
		end := time.Now().Add(soakUploads)
		var busy sync.WaitGroup
		for client := range soakUploaders {
			busy.Go(func() {
				for i := client; time.Now().Before(end); i += soakUploaders {
					name := names[i%len(names)]
					kind, body := formOf(t, fmt.Sprintf("%d-%s", i, name), files[name])
					if got := call(ctx, at+"/api/documents", kind, body); ctx.Err() == nil && !answered(got) {
						t.Errorf("%s: %d %.300s", name, got.status, got.body)
					}
				}
			})
		}
		var questions, innocent []outcome
		var asking, sending sync.WaitGroup
		var mu sync.Mutex
		busy.Go(func() {
			for i := range paced(ctx, 200*time.Millisecond, soakUploads) {
				asking.Go(func() {
					got := call(ctx, at+"/api/ask", "application/json", []byte(`{"question": "How often is the feed pump serviced?"}`))
					mu.Lock()
					defer mu.Unlock()
					questions = append(questions, got)
				})
				if i%10 != 0 {
					continue
				}
				sending.Go(func() {
					kind, body := formOf(t, fmt.Sprintf("innocent-%d.md", i), fmt.Appendf(nil, "# Valve %d\n\nValve %d is made of brass.\n", i, i))
					got := call(ctx, at+"/api/documents", kind, body)
					mu.Lock()
					defer mu.Unlock()
					innocent = append(innocent, got)
				})
			}
		})
		busy.Wait()
		asking.Wait()
		sending.Wait()
		for _, got := range questions {
			if got.status != http.StatusOK {
				t.Errorf("a question: %d %.300s", got.status, got.body)
			}
		}
		for _, got := range innocent {
			if got.status != http.StatusOK || !strings.Contains(got.body, `"added"`) {
				t.Errorf("an innocent file: %d %.300s", got.status, got.body)
			}
		}
		t.Logf("questions: %s; innocent files: %s", describeLatencies(questions), describeLatencies(innocent))
	})
}

// answered reports whether an upload got a result per document, or was refused
// because the server has enough to do.
func answered(got outcome) bool {
	var out struct{ Results []uploaded }
	return got.status == http.StatusTooManyRequests || got.status == http.StatusServiceUnavailable ||
		got.status == http.StatusOK && json.Unmarshal([]byte(got.body), &out) == nil && len(out.Results) > 0
}

// paced yields the numbers from 0 at a pace, until the time is over.
func paced(ctx context.Context, pace, during time.Duration) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		over := time.NewTimer(during)
		defer over.Stop()
		for i := 0; ; i++ {
			select {
			case <-tick.C:
				if !yield(i) {
					return
				}
			case <-over.C:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// describeLatencies says how long requests took.
func describeLatencies(all []outcome) string {
	if len(all) == 0 {
		return "none"
	}
	slices.SortFunc(all, func(a, b outcome) int { return int(a.took - b.took) })
	return fmt.Sprintf("%d, median %v, p95 %v, slowest %v", len(all),
		all[len(all)/2].took.Round(time.Millisecond), all[len(all)*95/100].took.Round(time.Millisecond),
		all[len(all)-1].took.Round(time.Millisecond))
}
