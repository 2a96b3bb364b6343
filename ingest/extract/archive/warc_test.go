package archive

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"docent/internal/fault"
)

// warcOf returns a web archive of records: kind, address, media type, and content.
func warcOf(records ...[4]string) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-05-01T10:00:00Z\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			r[0], r[1], r[2], len(r[3]), r[3])
	}
	return b.String()
}

func httpAnswer(status, header, body string) string {
	return "HTTP/1.1 " + status + "\r\n" + header + "\r\n\r\n" + body
}

func TestWarc(t *testing.T) {
	t.Parallel()
	const http = "application/http; msgtype=response"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("<p>packed"))
	_ = z.Close()
	data := warcOf(
		[4]string{"warcinfo", "", "application/warc-fields", "software: x"},
		[4]string{"request", "https://x.example/", http, "GET / HTTP/1.1\r\n\r\n"},
		[4]string{"response", "<https://x.example/>", http, httpAnswer("200 OK", "Content-Type: text/html; charset=utf-8", "<p>home")},
		[4]string{"response", "https://x.example/a/page?id=1", http, httpAnswer("200 OK", "Content-Type: text/html\r\nTransfer-Encoding: chunked", "5\r\n<p>ch\r\n4\r\nunks\r\n0\r\n\r\n")},
		[4]string{"response", "https://x.example/b.html", http, httpAnswer("200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip", packed.String())},
		[4]string{"response", "https://x.example/old", http, httpAnswer("301 Moved", "Location: /", "")},
		[4]string{"response", "https://x.example/p.png", http, httpAnswer("200 OK", "Content-Type: image/png", "PNG")},
		[4]string{"response", "https://x.example/broken", http, "no answer"},
		[4]string{"resource", "https://x.example/notes", "text/plain", "Notes."},
		[4]string{"resource", "metadata://gnu.org/wget/arguments", "text/plain", "x"},
		[4]string{"response", "dns:x.example", "text/dns", "x"},
	)
	got := map[string]string{}
	for p, err := range Entries(t.Context(), "a.warc", []byte(data), NewBudget(len(data))) {
		if err != nil {
			t.Fatal(err)
		}
		got[p.Name] = string(p.Data)
		if p.Modified.Year() != 2026 {
			t.Errorf("%s: %v", p.Name, p.Modified)
		}
	}
	want := map[string]string{
		"x.example.html": "<p>home", "x.example/a/page?id=1.html": "<p>chunks", "x.example/b.html": "<p>packed", "x.example/notes.txt": "Notes.",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, bad := range map[string]string{
		"cut off":  data[:len(data)-40],
		"no end":   "WARC/1.0\r\n" + strings.Repeat("a: b\r\n", maxWarcHead),
		"negative": "WARC/1.0\r\nContent-Length: -5\r\n\r\n",
		"garbage":  data + "garbage",
	} {
		var last error
		for _, err := range Entries(t.Context(), "a.warc", []byte(bad), NewBudget(len(bad))) {
			last = err
		}
		if fault.TextOf(last).ID != "warc_damaged" {
			t.Errorf("%s: %v", name, last)
		}
	}
}

func FuzzWarc(f *testing.F) {
	f.Add([]byte(warcOf([4]string{"response", "https://x.example/", "application/http", httpAnswer("200 OK", "Content-Type: text/html", "<p>x")})))
	f.Fuzz(func(t *testing.T, data []byte) {
		for range Entries(t.Context(), "a.warc", append([]byte("WARC/1.0\r\n"), data...), NewBudget(len(data))) {
		}
	})
}
