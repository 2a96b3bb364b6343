package mail

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	// maxEntities bounds the parts of a message, including nested ones.
	maxEntities = 10000
	// maxDepth bounds the nesting of parts.
	maxDepth = 24
)

// entity is a message or a part of one.
type entity struct {
	header header
	// media is the lower-case media type.
	media string
	// typeParams are the parameters of the media type.
	typeParams map[string]string
	// disposition is "attachment", "inline" or "".
	disposition string
	// filename is the decoded name of the file, "" without one.
	filename string
	// body is the content in its transfer encoding.
	body []byte
	// children are the parts of a multipart, or the message in a message part.
	children []*entity
	// cut reports that a whole message has parts nested more than maxDepth
	// levels deep, which are omitted.
	cut bool
}

// parser divides a message into its parts.
type parser struct {
	count int
	cut   bool // see entity.cut
}

// parse reads a message.
func parse(data []byte) *entity {
	p := &parser{}
	e := p.entity(unwrap(trimFront(data)), "text/plain", 0)
	e.cut = p.cut
	return e
}

// unwrap returns the message in a file of Apple Mail. The first line of the
// file is the length of the message, and data for Apple Mail follows the
// message.
func unwrap(data []byte) []byte {
	line, rest := cutLine(data[:min(len(data), 24)])
	if line = bytes.TrimSpace(line); !isDigits(line) || len(rest) == 0 {
		return data
	}
	n, err := strconv.Atoi(string(line))
	rest = data[bytes.IndexByte(data, '\n')+1:]
	if err != nil || n > len(rest) {
		return rest
	}
	return rest[:n]
}

// entity reads a header and a body. fallback is the media type if there is no
// Content-Type.
func (p *parser) entity(data []byte, fallback string, depth int) *entity {
	p.count++
	h, body := parseHeader(data)
	e := &entity{header: h, body: body}
	e.media, e.typeParams = params(h["content-type"])
	if !strings.Contains(e.media, "/") {
		e.media = fallback
		if strings.HasPrefix(h["content-type"], "text") {
			e.media = "text/plain"
		}
	}
	var d map[string]string
	e.disposition, d = params(h["content-disposition"])
	label := e.typeParams["charset"]
	for _, name := range []string{d["filename"], d["name"], e.typeParams["name"], e.typeParams["filename"]} {
		if e.filename == "" {
			e.filename = decodeWords(name, label)
		}
	}
	if depth >= maxDepth {
		p.cut = p.cut || e.isMessage() || strings.HasPrefix(e.media, "multipart/")
		return e
	}
	switch {
	case strings.HasPrefix(e.media, "multipart/"):
		p.multipart(e, depth)
	case e.isMessage():
		inner := decodeTransfer(body, h["content-transfer-encoding"])
		e.children = []*entity{p.entity(inner, "text/plain", depth+1)}
	}
	return e
}

// isMessage reports whether the part is a whole message.
func (e *entity) isMessage() bool {
	return e.media == "message/rfc822" || e.media == "message/global" || e.media == "message/news"
}

// multipart adds the parts of a multipart. If no boundary occurs in the body,
// the body is read as text.
func (p *parser) multipart(e *entity, depth int) {
	boundary := e.typeParams["boundary"]
	start, next := -1, 0
	if boundary != "" {
		start, next, _ = findBoundary(e.body, boundary, 0)
	}
	if start < 0 {
		if boundary = guessBoundary(e.body); boundary == "" {
			e.media = "text/plain"
			return
		}
		start, next, _ = findBoundary(e.body, boundary, 0)
	}
	if start < 0 {
		e.media = "text/plain"
		return
	}
	fallback := "text/plain"
	if e.media == "multipart/digest" {
		fallback = "message/rfc822"
	}
	for p.count < maxEntities {
		end, after, last := findBoundary(e.body, boundary, next)
		stop := end
		if end < 0 {
			stop = len(e.body)
		}
		if content := e.body[min(next, stop):stop]; len(bytes.TrimSpace(content)) > 0 {
			e.children = append(e.children, p.entity(trimEnd(content), fallback, depth+1))
		}
		if end < 0 || last {
			return
		}
		next = after
	}
}

// trimEnd removes the line end that belongs to the next boundary.
func trimEnd(data []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(data, []byte("\n")), []byte("\r"))
}

// findBoundary finds the next boundary line. It returns the start of the line,
// or -1, and the start of the next line. last reports whether it is the last
// boundary.
func findBoundary(body []byte, boundary string, from int) (start, next int, last bool) {
	mark := []byte("--" + boundary)
	for from < len(body) {
		i := bytes.Index(body[from:], mark)
		if i < 0 {
			return -1, 0, false
		}
		start = from + i
		tail, _ := cutLine(body[start+len(mark):])
		next = start + len(mark) + len(tail)
		if j := bytes.IndexByte(body[next:min(len(body), next+2)], '\n'); j >= 0 {
			next += j + 1
		}
		last = bytes.HasPrefix(tail, []byte("--"))
		if tail = bytes.TrimSpace(bytes.TrimPrefix(tail, []byte("--"))); len(tail) == 0 && (start == 0 || body[start-1] == '\n') {
			return start, next, last
		}
		from = start + len(mark)
	}
	return -1, 0, false
}

// guessBoundary returns the boundary of a multipart whose header has no
// boundary or a wrong one. It is a line with two hyphens before a Content
// field.
func guessBoundary(body []byte) string {
	for rest := body; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		if !bytes.HasPrefix(line, []byte("--")) || len(line) < 4 || len(line) > maxValue {
			continue
		}
		if len(rest) >= 8 && bytes.EqualFold(rest[:8], []byte("content-")) {
			return string(bytes.TrimSpace(line[2:]))
		}
	}
	return ""
}

// content returns the decoded content of a part.
func (e *entity) content() []byte {
	return decodeTransfer(e.body, e.header["content-transfer-encoding"])
}

// isText reports whether the part is text that can be the body.
func (e *entity) isText() bool {
	return e.media == "text/plain" || e.media == "text/html" || e.media == "text/enriched" || e.media == "text/richtext" || e.media == "text"
}
