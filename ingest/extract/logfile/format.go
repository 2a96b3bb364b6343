// Package logfile reads the log files of programs.
package logfile

import (
	"context"
	"regexp"
	"strings"

	"docent/ingest/format"
)

// Format is log files.
var Format = format.Format{
	Info: format.Info{
		Name: "Log file", Short: "Log",
		Group:     format.Texts,
		Endings:   []string{".log"},
		Media:     "application/x-log",
		NeverMail: true,
		Version:   3,
		Reads: "the kinds of errors and warnings with their number, and the entries in sections for days and hours; the logs of most " +
			"programs, of system services, and of web servers, in lines and in JSON",
		Leaves: "similar entries of the same hour after the third; lines of an entry after the 40th",
		Limits: "files without times in most lines are read as plain text",
	},
	Match: match,
	Read:  format.Text(Read),
}

// rotated matches the number that is added to the name of an old log.
var rotated = regexp.MustCompile(`(?i)(?:\.log|log|messages)[.-]\d{1,8}$`)

const (
	// sampled is the number of lines that tell whether a text is a log.
	sampled = 60
	// minEntries is the number of entries that a log has at least among them.
	minEntries = 5
)

func match(_ context.Context, f *format.File) format.Match {
	named := f.HasEnding(".log") || rotated.MatchString(f.Name)
	if !f.IsText() || !named && !f.HasEnding(".txt", ".out", ".err", "") && !isJournal(f) {
		return format.Match{}
	}
	lines, entries, further := 0, 0, 0
	for line := range strings.Lines(string(f.Head())) {
		if line = strings.TrimRight(line, " \r\n"); line == "" || lines == sampled {
			continue
		}
		lines++
		if _, ok := parse(line); ok {
			entries++
		} else if isFurther(line) {
			further++
		}
	}
	needed := minEntries
	if named {
		needed = 1
	}
	if entries >= needed && (entries+further)*10 >= lines*8 && entries*4 >= lines || named && entries >= minEntries && entries*2 >= lines {
		return format.Match{Score: format.Named}
	}
	return format.Match{}
}

// isJournal reports whether a file in JSON begins like the journal of systemd, or like the log of a container.
func isJournal(f *format.File) bool {
	first, _, _ := strings.Cut(string(f.Trimmed()[:min(len(f.Trimmed()), 8<<10)]), "\n")
	return f.HasEnding(".json", ".jsonl", ".ndjson") && strings.HasPrefix(first, "{") &&
		(strings.Contains(first, `"__REALTIME_TIMESTAMP"`) || strings.Contains(first, `"stream"`) && strings.Contains(first, `"log"`))
}

// isFurther reports whether a line continues an entry, as in a stack trace.
func isFurther(line string) bool {
	return line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(line, "Caused by: ") ||
		strings.HasPrefix(line, "at ") && strings.HasSuffix(line, ")") || strings.HasPrefix(line, "Traceback ") ||
		strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "panic: ")
}
