package logfile

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/format"
	"docent/ingest/outline"
)

const service = `2026-11-28 23:59:58,120 INFO  [main] Harbor service 4.2 starts
2026-11-29 00:00:01,004 WARN  [pool-1] Queue holds 900 jobs
2026-11-29 00:00:02,311 ERROR [pool-1] Cannot open crane 17: timeout
java.net.SocketTimeoutException: connect timed out
	at harbor.Crane.open(Crane.java:41)
2026-11-29 00:03:09,500 ERROR [pool-2] Cannot open crane 23: timeout
2026-11-29 00:04:00,000 INFO  [main] Harbor service stops
`

func read(_ context.Context, name string, data []byte) (*outline.Document, error) {
	return Read(name, outline.Clean(string(data))), nil
}

func TestErrorsFirst(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, read, []byte(service), "a",
		`p Entries: 5, from 2026-11-28 23:59:58 to 2026-11-29 00:04:00. Errors: 2. Warnings: 1.
h1 Errors
li 2026-11-29 00:00:02,311 ERROR [pool-1] Cannot open crane 17: timeout (2 times, last 2026-11-29 00:03:09)\njava.net.SocketTimeoutException: connect timed out\n	at harbor.Crane.open(Crane.java:41)
h1 Warnings
li 2026-11-29 00:00:01,004 WARN  [pool-1] Queue holds 900 jobs
h1 2026-11-28
li 2026-11-28 23:59:58,120 INFO  [main] Harbor service 4.2 starts
h1 2026-11-29
li 2026-11-29 00:00:01,004 WARN  [pool-1] Queue holds 900 jobs
li 2026-11-29 00:00:02,311 ERROR [pool-1] Cannot open crane 17: timeout
li 2026-11-29 00:03:09,500 ERROR [pool-2] Cannot open crane 23: timeout
li 2026-11-29 00:04:00,000 INFO  [main] Harbor service stops
`)
}

func TestContainer(t *testing.T) {
	t.Parallel()
	line := func(text string) string {
		return `{"log":"` + text + `\n","stream":"stderr","time":"2026-11-29T00:00:02.3Z"}` + "\n"
	}
	extracttest.Check(t, read, []byte(line("Service starts")+line("ERROR no crane: timeout")+line("\\tat harbor.Crane.open(Crane.java:41)")+line("at harbor.Main.run(Main.java:7)")), "a",
		`p Entries: 2, from 2026-11-29 00:00:02 to 2026-11-29 00:00:02. Errors: 1. Warnings: 0.
h1 Errors
li 2026-11-29 00:00:02 ERROR no crane: timeout\n	at harbor.Crane.open(Crane.java:41)\nat harbor.Main.run(Main.java:7)
h1 2026-11-29
li 2026-11-29 00:00:02 Service starts
li 2026-11-29 00:00:02 ERROR no crane: timeout
`)
}

func TestHoursAndSimilarEntries(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "Nov 29 %02d:%02d:00 quay sshd[%d]: Accepted publickey for mara port %d\n", i/60, i%60, i, 4000+i)
	}
	shown := extracttest.Show(Read("syslog", b.String()))
	if n := strings.Count(shown, "Accepted"); n != 27 {
		t.Errorf("%d entries of 9 hours are read, want 3 for each:\n%s", n, shown)
	}
	if !strings.Contains(shown, "h2 Nov 29 08:00–08:59\n") || !strings.Contains(shown, "li 57 similar entries\n") {
		t.Errorf("hours or counts are missing:\n%s", shown)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]level{
		`192.0.2.7 - - [29/Nov/2026:20:38:45 +0000] "GET /plan HTTP/1.1" 503 120`:                                                     failure,
		`192.0.2.7 - mara [29/Nov/2026:20:38:45 +0000] "GET /error HTTP/1.1" 200 12`:                                                  normal,
		`[Sun Nov 29 20:38:45.123456 2026] [core:error] [pid 9] AH00126: Invalid URI`:                                                 failure,
		`time="2026-11-29T20:38:45Z" level=warning msg="disk is nearly full"`:                                                         warning,
		`ts=2026-11-29T20:38:45.1Z level=info msg="no error was found"`:                                                               normal,
		`{"time":"2026-11-29T20:38:45Z","level":"error","msg":"no crane","crane":"north"}`:                                            failure,
		`{"@timestamp":"2026-11-29T20:38:45Z","severity":"Warning","message":"slow","ms":412}`:                                        warning,
		`E1129 20:38:45.120000   12 kubelet.go:310] no crane`:                                                                         failure,
		`2026/11/29 20:38:45 [error] 31#31: *1 open() "/srv/x" failed`:                                                                failure,
		`Nov 29 20:38:45 quay kernel: usb 1-1: error: no answer`:                                                                      failure,
		`2026-11-29 20:38:45.001 UTC [71] ERROR:  relation "crane" does not exist`:                                                    failure,
		`INFO:2026-11-29 20:38:45,001:harbor:started`:                                                                                 normal,
		`{"log":"no crane: ERROR 7\n","stream":"stderr","time":"2026-11-29T20:38:45.123456789Z"}`:                                     failure,
		`{"log":"\u001b[33mWARN\u001b[0m slow crane\n","stream":"stdout","time":"2026-11-29T20:38:45Z"}`:                              warning,
		`{"log":"2026-11-29 20:38:45 INFO started\n","stream":"stdout","time":"2026-11-29T20:38:46Z"}`:                                normal,
		`{"__REALTIME_TIMESTAMP":"1795984725000000","PRIORITY":"3","SYSLOG_IDENTIFIER":"nginx","_PID":"7","MESSAGE":"open() failed"}`: failure,
		`{"__REALTIME_TIMESTAMP":"1795984725000000","PRIORITY":"4","_COMM":"kernel","MESSAGE":"out of memory"}`:                       warning,
		`29.11.2026 20:38:45 Warning <12>`:                                                                                            normal,
	} {
		e, ok := parse(line)
		if !ok || e.level != want || !strings.HasPrefix(e.clock, "20:38:45") {
			t.Errorf("%s\nis read as %+v, %v; want level %d", line, e, ok, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	syslog := strings.Repeat("Nov 29 20:38:45 quay cron[1]: job\n", 6)
	for _, c := range []struct {
		name, data string
		want       bool
	}{
		{"service.log", service, true},
		{"app.txt", syslog, true},
		{"syslog", syslog, true},
		{"/var/log/app.log.1", service, true},
		{"notes.txt", "We met on the quay.\n2026-11-29 20:38 the crane came.\nIt was late.\nAll went home.\nNo one stayed.\n2026-11-29 21:00 it rained.\n", false},
		{"build.log", "checking for gcc... yes\nmake: done\n", false},
		{"data.csv", syslog, false},
		{"0a1b-json.log", strings.Repeat(`{"log":"x\n","stream":"stdout","time":"2026-11-29T20:38:45.1Z"}`+"\n", 6), true},
		{"journal.json", strings.Repeat(`{"__REALTIME_TIMESTAMP":"1795984725000000","MESSAGE":"x"}`+"\n", 6), true},
		{"data.jsonl", strings.Repeat(`{"id":"1","text":"x"}`+"\n", 6), false},
	} {
		if got := match(t.Context(), &format.File{Name: c.name, Data: []byte(c.data)}); (got.Score > 0) != c.want {
			t.Errorf("%s: match %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWhole reads entries that several lines of a file have.
func TestWhole(t *testing.T) {
	t.Parallel()
	docker := func(texts ...string) string {
		var b strings.Builder
		for _, text := range texts {
			b.WriteString(`{"log":"` + text + `","stream":"stdout","time":"2026-11-29T20:38:45.1Z"}` + "\n")
		}
		return b.String()
	}
	for name, c := range map[string]struct{ data, want string }{
		"divided by Docker": {
			docker(`{\"level\":\"error\",`, `\"msg\":\"pump 7 `, `stopped\"}\n`, `gate open\n`),
			"2026-11-29T20:38:45.1Z ERROR pump 7 stopped|2026-11-29 20:38:45 gate open",
		},
		"trace of Python": {
			docker(`ERROR stuck\n`, `Traceback (most recent call last):\n`, `  File \"a.py\", line 3\n`, `ValueError: valve\n`, `gate open\n`),
			"2026-11-29 20:38:45 ERROR stuck / Traceback (most recent call last): /   File \"a.py\", line 3 / ValueError: valve|2026-11-29 20:38:45 gate open",
		},
		"object in lines of Docker": {docker(`{\n`, `  \"status\": 500\n`, `}\n`), "2026-11-29 20:38:45 { /   \"status\": 500 / }"},
		"object in several lines": {
			"{\"time\": \"2026-11-29T20:38:45Z\", \"level\": \"WARN\", \"message\": \"no node\",\n\"stacktrace\": [\"a.B: refused\",\n\"at a.C(C.java:1)\"], \"node\": \"b\" }\n" +
				`{"time": "2026-11-29T20:38:46Z", "level": "INFO", "message": "on"}` + "\n{ no JSON\n",
			"2026-11-29T20:38:45Z WARN no node node=b /   a.B: refused /   at a.C(C.java:1)|2026-11-29T20:38:46Z INFO on / { no JSON",
		},
		"no line breaks": {docker("gate open", "gate closed"), "2026-11-29 20:38:45 gate open|2026-11-29 20:38:45 gate closed"},
	} {
		var got []string
		for _, e := range split(c.data) {
			got = append(got, strings.ReplaceAll(e.text, "\n", " / "))
		}
		if all := strings.Join(got, "|"); all != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, all, c.want)
		}
	}
}

func FuzzLog(f *testing.F) {
	for _, s := range []string{
		service, "{\"time\":\"2026-11-29T20:38:45Z\",\"level\":\"error\",\"msg\":\"x\"}\n", "Nov  9 20:38:45 a b\n", "I1129 20:38:45.1 \n \x00",
		"192.0.2.7 - - [29/Nov/2026:20:38:45 +0000] \"GET\" 503 1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, read, data) })
}
