package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"docent/config"
	"docent/embed"
	"docent/store/sqlite"
)

// BenchmarkStart measures the program as it is installed: built, started and
// asked as a user does. It alternates with `docent version`, the cost of
// starting any process of this size.
func BenchmarkStart(b *testing.B) {
	exe := buildProgram(b)
	b.Run("ask", func(b *testing.B) { benchAsk(b, exe) })
	b.Run("serve", func(b *testing.B) { benchServe(b, exe) })
}

// buildProgram builds the program like `make build`, with the existing page.
func buildProgram(b *testing.B) string {
	b.Helper()
	exe := filepath.Join(b.TempDir(), "docent")
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}

// command is a call of the program on a data folder.
func command(ctx context.Context, exe, data string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = []string{"HOME=" + data, "DOCENT_DATA=" + data}
	return cmd
}

// timeCommand runs the program and adds the time it took on the clock and on
// the processor.
func timeCommand(b *testing.B, clock, processor *times, exe, data string, args ...string) {
	b.Helper()
	cmd := command(b.Context(), exe, data, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	clock.add(func() {
		if err := cmd.Run(); err != nil {
			b.Fatalf("docent %s: %v\n%s", strings.Join(args, " "), err, &out)
		}
	})
	*processor = append(*processor, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}

func benchAsk(b *testing.B, exe string) {
	const rounds = 15
	cfg := config.Config{Data: b.TempDir()}
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	db, err := sqlite.Open(b.Context(), sqlite.Config{Path: cfg.SQLitePath()})
	if err != nil {
		b.Fatal(err)
	}
	questions := fill(b, db, static, manualChunks)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	var version, fresh, ask, processor, ignored times
	timeCommand(b, &fresh, &ignored, exe, cfg.Data, "ask", questions[0]) // leaves the saved index
	for b.Loop() {
		for i := range rounds {
			timeCommand(b, &version, &ignored, exe, cfg.Data, "version")
			timeCommand(b, &ask, &processor, exe, cfg.Data, "ask", questions[i%len(questions)])
		}
	}
	b.ReportMetric(ms(ask.median()), "ms_ask")
	b.ReportMetric(ms(ask.quantile(1)), "ms_ask_max")
	b.ReportMetric(ms(processor.median()), "ms_ask_processor")
	b.ReportMetric(ms(version.median()), "ms_version")
	b.ReportMetric(ask.median().Seconds()/version.median().Seconds(), "x_version")
	b.ReportMetric(ms(fresh.sum()), "ms_ask_first")
	b.ReportMetric(0, "ns/op")
}

// benchServe ingests this project's own documents, as `make run` does, and
// starts a server.
func benchServe(b *testing.B, exe string) {
	const rounds = 5
	data := b.TempDir()
	if out, err := command(b.Context(), exe, data, "ingest", "../../README.md", "../../docs").CombinedOutput(); err != nil {
		b.Fatalf("docent ingest: %v\n%s", err, out)
	}
	info, err := os.Stat(exe)
	if err != nil {
		b.Fatal(err)
	}
	var ready times
	var whole, own []float64
	for b.Loop() {
		for range rounds {
			rss, anon := serveOnce(b, exe, data, &ready)
			whole, own = append(whole, rss), append(own, anon)
		}
	}
	b.ReportMetric(ms(ready.median()), "ms_ready")
	b.ReportMetric(middle(whole), "MB_idle")
	b.ReportMetric(middle(own), "MB_idle_own") // without pages of the program file
	b.ReportMetric(float64(info.Size())/1e6, "MB_program")
	b.ReportMetric(0, "ns/op")
}

// serveOnce starts a server, adds the time until it is ready, and returns its
// memory in MB as Linux counts it.
func serveOnce(b *testing.B, exe, data string, ready *times) (rss, anon float64) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	cmd := command(ctx, exe, data, "serve", "--addr", "127.0.0.1:0")
	log, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	ready.add(func() {
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		url := ""
		for url == "" && lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), "docent is at "); ok {
				url = rest
			}
		}
		resp, err := http.Get(url + "/api/ready")
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			b.Fatal(resp.Status)
		}
	})
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	rss, anon = memory(b, status, "VmRSS:"), memory(b, status, "RssAnon:")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		b.Fatal(err)
	}
	for lines.Scan() { // what it says while it ends
	}
	_ = cmd.Wait() // interrupted
	return rss, anon
}

// memory reads a line of /proc/PID/status, in MB.
func memory(b *testing.B, status []byte, name string) float64 {
	b.Helper()
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			kib, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib * 1024 / 1e6
		}
	}
	b.Fatalf("no line %s in:\n%s", name, status)
	return 0
}
