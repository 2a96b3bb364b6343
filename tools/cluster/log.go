package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds the part of a line that a log holds back until the line ends.
const maxLine = 64 << 10

// log writes the lines of all programs to one output.
type log struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *log) printf(format string, args ...any) {
	l.line("cluster", fmt.Appendf(nil, format, args...))
}

func (l *log) line(prefix string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "%-7s | %s\n", prefix, line)
}

// prefixed is the output of one program. It writes whole lines to the log.
type prefixed struct {
	log    *log
	prefix string
	rest   []byte
}

func (p *prefixed) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		end := bytes.IndexByte(p.rest, '\n')
		if end < 0 && len(p.rest) < maxLine {
			return len(b), nil
		}
		if end < 0 {
			end = len(p.rest) - 1
		}
		p.log.line(p.prefix, bytes.TrimRight(p.rest[:end+1], "\r\n"))
		p.rest = append(p.rest[:0], p.rest[end+1:]...)
	}
}
