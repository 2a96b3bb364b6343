//go:build linux && soak

package wiring

import (
	"bufio"
	"compress/zlib"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/ingest/source/sourcetest"
)

// gitAttacks are servers of a repository with one commit.
func gitAttacks() []attack {
	const ok, refs, result = http.StatusOK, "application/x-git-upload-pack-advertisement", "application/x-git-upload-pack-result"
	line := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	const commit = "1111111111111111111111111111111111111111"
	begin := line("# service=git-upload-pack\n") + "0000"
	first := line(commit + " HEAD\x00symref=HEAD:refs/heads/main agent=x\n")
	advertised := begin + first + line(commit+" refs/heads/main\n") + "0000"
	pack := func(w io.Writer, count uint32) {
		_, _ = io.WriteString(w, line("NAK\n")+"PACK\x00\x00\x00\x02"+string(binary.BigEndian.AppendUint32(nil, count)))
	}
	// object writes the header of an object, and a megabyte of content.
	object := func(w io.Writer, kind byte, size uint64) {
		header := []byte{0x80 | kind<<4 | byte(size&15)}
		_, _ = w.Write(binary.AppendUvarint(header, size>>4))
		z := zlib.NewWriter(w)
		_, _ = z.Write(make([]byte, 1<<20))
		_ = z.Close()
	}
	download := func(post http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				says(ok, refs, advertised)(w, r)
				return
			}
			w.Header().Set("Content-Type", result)
			post(w, r)
		}
	}
	git := func(name, want string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "git", name: name, at: "/repository.git", options: options, want: want, serve: serve}
	}
	return []attack{
		git("branches", "git_branches_many", patient(), endless(ok, refs, begin+first, line(commit+" refs/heads/a\n"))),
		git("packed branches", "git_branches_many", patient(), packed(ok, refs, begin+first, line(commit+" refs/heads/a\n"))),
		git("line", "git_branches_unreadable", patient(), endless(ok, refs, "ffff", "x")),
		git("lying branches", "host_unreachable", patient(), lying(ok, refs, begin+first)),
		git("silent", "host_slow", with(), silent),
		git("dripping", "git_branches_unreadable", with(), dripping(ok, refs, begin)),
		git("objects", "git_too_large", patient(), download(func(w http.ResponseWriter, _ *http.Request) { pack(w, 1<<31) })),
		git("tree", "git_too_large", patient(), download(func(w http.ResponseWriter, _ *http.Request) {
			pack(w, 1)
			object(w, 2, 1<<40)
		})),
		git("lying size", "git_pack_damaged", patient(), download(func(w http.ResponseWriter, _ *http.Request) {
			pack(w, 1)
			object(w, 3, 3)
		})),
		git("large size", "git_pack_damaged", patient(), download(func(w http.ResponseWriter, _ *http.Request) {
			pack(w, 1)
			object(w, 3, 1<<50)
		})),
		git("cut", "git_pack_damaged", patient(), download(func(w http.ResponseWriter, _ *http.Request) { pack(w, 7) })),
		git("endless download", "larger_than", patient("max_repository_bytes", "1000000"),
			download(func(w http.ResponseWriter, _ *http.Request) {
				pack(w, 1)
				flood(w, "", "\x30\x78\x9c\x03\x00\x00\x00\x00\x01")
			})),
		git("slow download", "host_slow", with(), download(dripping(ok, result, line("NAK\n")))),
	}
}

// mailAnswer answers a command of IMAP. It returns false to let the usual answer follow.
type mailAnswer func(w io.Writer, tag, command string) bool

// mailServer starts a server of a mailbox with one message.
func mailServer(t *testing.T, asked *atomic.Int64, secure *tls.Config, special mailAnswer) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", secure)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var talks sync.WaitGroup
	talks.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			talks.Go(func() {
				defer conn.Close()
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				talkMail(conn, special)
			})
		}
	})
	t.Cleanup(func() { cancel(); l.Close(); talks.Wait() })
	return "imaps://" + l.Addr().String()
}

func talkMail(conn net.Conn, special mailAnswer) {
	if special(conn, "", "GREETING") {
		return
	}
	_, _ = io.WriteString(conn, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		tag, command, _ := strings.Cut(lines.Text(), " ")
		if special(conn, tag, command) {
			continue
		}
		answer := ""
		switch word, _, _ := strings.Cut(command, " "); word {
		case "CAPABILITY":
			answer = "* CAPABILITY IMAP4rev1\r\n"
		case "LIST":
			answer = "* LIST () \"/\" INBOX\r\n"
		case "SELECT", "EXAMINE":
			answer = "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n"
		case "FETCH":
			answer = "* 1 FETCH (UID 1 RFC822.SIZE 3 INTERNALDATE \"01-Jan-2026 10:00:00 +0000\" FLAGS ())\r\n"
		}
		if _, err := io.WriteString(conn, answer+tag+" OK done\r\n"); err != nil {
			return
		}
	}
}

// drip writes a space now and then.
func drip(w io.Writer) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := io.WriteString(w, " "); err != nil {
			return
		}
		<-tick.C
	}
}

func imapAttacks(t *testing.T) []attack {
	cert, key := sourcetest.Certificate(t)
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	secure := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	mail := func(name, want, item, command string, answer func(w io.Writer, tag string)) attack {
		seconds := "600"
		if want == "host_slow" || item == "host_slow" {
			seconds = "2"
		}
		return attack{
			kind: "imap", name: name, want: want, item: item, secret: map[string]string{"password": "secret"},
			options: map[string]string{"user": "reader", "certificate": cert, "timeout_seconds": seconds, "max_messages": "1000", "max_bytes": "1000000"},
			start: func(t *testing.T, asked *atomic.Int64) string {
				t.Helper()
				return mailServer(t, asked, secure, func(w io.Writer, tag, asks string) bool {
					if !strings.HasPrefix(asks, command) {
						return false
					}
					answer(w, tag)
					return true
				})
			},
		}
	}
	flooded := func(head, unit string) func(io.Writer, string) {
		return func(w io.Writer, _ string) { flood(w, head, unit) }
	}
	return []attack{
		mail("greeting", "mail_too_much|host_slow", "", "GREETING", flooded("", "* OK x\r\n")),
		mail("line", "mail_too_much|host_slow", "", "GREETING", flooded("* OK ", "x")),
		mail("silent", "host_slow", "", "LOGIN", func(io.Writer, string) {}),
		mail("dripping", "host_unreachable", "", "LOGIN", func(w io.Writer, _ string) { drip(w) }),
		mail("flags", "host_unreachable", "", "FETCH", flooded("* 1 FETCH (UID 1 FLAGS (", "\\Flag ")),
		mail("silent list", "host_slow", "", "FETCH", func(io.Writer, string) {}),
		mail("huge message", "", "larger_than", "UID FETCH", flooded("* 1 FETCH (UID 1 BODY[] {1099511627776}\r\n", "word ")),
		mail("lying size", "", "larger_than", "UID FETCH", flooded("* 1 FETCH (UID 1 BODY[] {2000000}\r\n", "word ")),
		mail("dripping message", "", "host_slow", "UID FETCH", func(w io.Writer, _ string) {
			_, _ = io.WriteString(w, "* 1 FETCH (UID 1 BODY[] {1000}\r\n")
			drip(w)
		}),
	}
}

func wikiAttacks() []attack {
	const ok = http.StatusOK
	wiki := func(name, want string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "mediawiki", name: name, at: "/api.php", options: options, want: want, most: 50, serve: serve}
	}
	// step answers the requests of the usual steps, with another answer for one of them.
	step := func(name string, special http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			asked := r.FormValue("meta") + r.FormValue("generator")
			if r.FormValue("action") == "parse" {
				asked = "parse"
			}
			if asked == name {
				special(w, r)
				return
			}
			says(ok, jsonType, map[string]string{
				"siteinfo": `{"query": {"namespaces": {"0": {"id": 0, "content": true}}}}`,
				"allpages": `{"batchcomplete": true, "query": {"pages": [{"pageid": 1, "title": "A", "lastrevid": 1, "fullurl": "http://127.0.0.1/A"}]}}`,
				"parse":    `{"parse": {"title": "A", "text": "<p>word"}}`,
			}[asked])(w, r)
		}
	}
	pages := func(w http.ResponseWriter, _ *http.Request) {
		at := time.Now().UnixNano()
		fmt.Fprintf(w, `{"batchcomplete": true, "continue": {"x": "%d"}, "query": {"pages": [{"pageid": %d, "title": "A"}]}}`, at, at)
	}
	page := attack{kind: "mediawiki", name: "endless page", at: "/api.php", options: patient(), item: "larger_than"}
	page.serve = step("parse", endless(ok, jsonType, `{"parse": {"title": "A", "text": "`, "word "))
	slow := attack{kind: "mediawiki", name: "slow page", at: "/api.php", options: with(), item: "host_slow"}
	slow.serve = step("parse", dripping(ok, jsonType, `{"parse": `))
	return []attack{
		wiki("endless", "larger_than", patient(), endless(ok, jsonType, `{"query": [`, "{},")),
		wiki("packed", "larger_than", patient(), packed(ok, jsonType, `{"query": [`, "{},")),
		wiki("deep", "answer_not_json", patient(), says(ok, jsonType, strings.Repeat("[", 900_000))),
		wiki("many", "answer_too_many", patient("max_bytes", "20000000"), step("allpages", says(ok, jsonType, `{"query": {"pages": [`+strings.Repeat("{},", 3_000_000)+"{}]}}"))),
		wiki("lying", "host_unreachable", patient(), lying(ok, jsonType, `{"query": `)),
		wiki("silent", "host_slow", with(), silent),
		wiki("dripping", "host_slow", with(), dripping(ok, jsonType, `{"query": `)),
		wiki("pages", "wiki_too_many_pages", patient("max_pages", "50"), step("allpages", pages)),
		wiki("endless list", "larger_than", patient(), step("allpages", endless(ok, jsonType, `{"query": {"pages": [`, "{},"))),
		{
			kind: "mediawiki", name: "endless start page", at: "/wiki/Main", options: patient(), want: "wiki_not_found",
			serve: endless(ok, htmlType, "<html>", "<p>word"),
		},
		page, slow,
	}
}

func forgeAttacks() []attack {
	const ok = http.StatusOK
	var out []attack
	for _, software := range []string{"github", "gitlab", "gitea"} {
		options := func(pairs ...string) map[string]string { return with(append(pairs, "software", software)...) }
		patient := map[string]string{"timeout_seconds": "600", "retry_ms": "1", "software": software}
		forge := func(name, want string, options map[string]string, serve http.HandlerFunc) {
			out = append(out, attack{kind: "forge", name: software + "/" + name, at: "/ada/pumps", options: options, want: want, most: 50, serve: serve})
		}
		// next answers with a list and the address of a further one.
		next := func(list string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				at := time.Now().UnixNano() % 1_000_000_000_000
				w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d>; rel="next"`, r.Host, r.URL.EscapedPath(), at))
				_, _ = io.WriteString(w, strings.ReplaceAll(list, "N", fmt.Sprint(at)))
			}
		}
		forge("endless", "larger_than", patient, endless(ok, jsonType, "[", `{"number": 1},`))
		forge("packed", "larger_than", patient, packed(ok, jsonType, "[", `{"number": 1},`))
		forge("deep", "answer_not_json", patient, says(ok, jsonType, strings.Repeat("[", 1_000_000)))
		forge("many", "answer_too_many", patient, says(ok, jsonType, "["+strings.Repeat("{},", 3_000_000)+"{}]"))
		forge("lying", "host_unreachable", patient, lying(ok, jsonType, "[{"))
		forge("silent", "host_slow", options(), silent)
		forge("dripping", "host_slow", options(), dripping(ok, jsonType, "["))
		pages := next(`[{"number": N, "iid": N, "title": "a"}]`)
		forge("pages", "forge_too_many", map[string]string{"timeout_seconds": "600", "retry_ms": "1", "software": software, "max_items": "50", "parts": "issues"},
			func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/issues") {
					pages(w, r)
					return
				}
				says(ok, jsonType, "[]")(w, r)
			})
		out = append(out, attack{
			kind: "forge", name: software + "/comments", at: "/ada/pumps", item: "forge_too_many_pages",
			options: map[string]string{"timeout_seconds": "600", "retry_ms": "1", "software": software, "parts": "issues"},
			serve: func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/issues") {
					says(ok, jsonType, `[{"number": 1, "iid": 1, "title": "a"}]`)(w, r)
					return
				}
				next(`[{"body": "word"}]`)(w, r)
			},
		})
	}
	return append(out, attack{
		kind: "forge", name: "empty pages", at: "/ada/pumps", want: "forge_too_many_pages",
		options: map[string]string{"timeout_seconds": "600", "retry_ms": "1", "software": "github"},
		serve: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d>; rel="next"`, r.Host, r.URL.EscapedPath(), time.Now().UnixNano()))
			_, _ = io.WriteString(w, "[]")
		},
	})
}
