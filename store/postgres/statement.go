package postgres

import (
	"strconv"
	"strings"
)

// statement is an SQL statement that consists of parts. Each part has its own
// arguments.
type statement struct {
	text strings.Builder
	args []any
}

// add appends a part. In the part, $1 is the first of args.
func (s *statement) add(part string, args ...any) {
	before := len(s.args)
	s.args = append(s.args, args...)
	for {
		at := strings.IndexByte(part, '$') + 1
		if at == 0 {
			break
		}
		s.text.WriteString(part[:at])
		part = part[at:]
		n := 0
		for len(part) > 0 && part[0] >= '0' && part[0] <= '9' {
			n, part = n*10+int(part[0]-'0'), part[1:]
		}
		s.text.WriteString(strconv.Itoa(before + n))
	}
	s.text.WriteString(part)
}
