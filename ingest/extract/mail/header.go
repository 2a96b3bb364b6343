package mail

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	// maxValue bounds the bytes kept of one header field.
	maxValue = 64 << 10
	// maxFieldName bounds the name of a header field.
	maxFieldName = 128
	// maxParams bounds the parameters of one field.
	maxParams = 100
)

// keptFields are the header fields that the readers use. Other fields are
// skipped.
var keptFields = map[string]bool{
	"from": true, "sender": true, "to": true, "cc": true, "bcc": true, "newsgroups": true, "subject": true, "date": true, "message-id": true,
	"content-type": true, "content-transfer-encoding": true, "content-disposition": true, "content-id": true, "content-location": true,
	"snapshot-content-location": true,
}

// header holds the first value of each kept field by its lower-case name, raw
// and unfolded.
type header map[string]string

// parseHeader reads a header block and returns the rest as the body. Without an
// empty line, the header ends at the first line that is not a field.
func parseHeader(data []byte) (h header, body []byte) {
	h = header{}
	name, used := "", 0
	var value []byte
	flush := func() {
		if _, have := h[name]; name != "" && !have {
			h[name] = strings.TrimSpace(string(value))
		}
		name, value = "", value[:0]
	}
	for first := true; len(data) > 0; first = false {
		line, rest := cutLine(data)
		field, text, ok := cutField(line)
		switch {
		case len(line) == 0:
			flush()
			return h, rest
		case line[0] == ' ' || line[0] == '\t':
			if len(bytes.TrimSpace(line)) == 0 && !continues(rest) {
				flush()
				return h, rest
			}
			if name != "" && len(value)+len(line) <= maxValue {
				value = append(value, line...)
			}
		case ok:
			flush()
			used++
			if keptFields[field] && h[field] == "" {
				name, value = field, append(value[:0], text[:min(len(text), maxValue)]...)
			}
		case first && isFromLine(line), bytes.HasPrefix(line, []byte(">From ")):
		case used > 0 && (startsField(rest) || bytes.IndexByte(line, ':') > 0 && bytes.HasPrefix(rest, []byte(" "))):
			flush()
		default:
			flush()
			return h, data
		}
		data = rest
	}
	flush()
	return h, nil
}

// continues reports whether a header block continues after a line of spaces.
func continues(rest []byte) bool {
	line, _ := cutLine(rest)
	return len(line) > 0 && (startsField(line) || line[0] == ' ' || line[0] == '\t')
}

// startsField reports whether the first line is a header field.
func startsField(data []byte) bool {
	line, _ := cutLine(data[:min(len(data), maxFieldName+2)])
	_, _, ok := cutField(line)
	return ok
}

// cutLine returns the first line without its end, and the rest.
func cutLine(data []byte) (line, rest []byte) {
	i := bytes.IndexByte(data, '\n')
	if i < 0 {
		return bytes.TrimSuffix(data, []byte("\r")), nil
	}
	return bytes.TrimSuffix(data[:i], []byte("\r")), data[i+1:]
}

// cutField divides a header line into its lower-case name and its value.
func cutField(line []byte) (name string, value []byte, ok bool) {
	i := bytes.IndexByte(line[:min(len(line), maxFieldName)], ':')
	if i <= 0 {
		return "", nil, false
	}
	n := bytes.TrimRight(line[:i], " \t")
	if len(n) == 0 {
		return "", nil, false
	}
	for _, c := range n {
		if c <= ' ' || c >= 0x7f {
			return "", nil, false
		}
	}
	return strings.ToLower(string(n)), line[i+1:], true
}

// params reads the value of a field such as Content-Type. It returns the
// lower-case value and its parameters by lower-case name. It reads broken
// parameters as far as possible.
func params(field string) (value string, out map[string]string) {
	value, rest, _ := strings.Cut(field, ";")
	value = strings.ToLower(strings.TrimSpace(stripComment(value)))
	pieces := map[string]string{}
	for n := 0; rest != "" && n < maxParams; n++ {
		var name, text string
		name, text, rest = nextParam(rest)
		if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
			continue
		}
		if _, have := pieces[name]; !have {
			pieces[name] = text
		}
	}
	return value, joinParams(pieces)
}

// stripComment removes a comment in parentheses at the end of a value.
func stripComment(s string) string {
	if i := strings.IndexByte(s, '('); i > 0 {
		return s[:i]
	}
	return s
}

// nextParam reads one parameter and returns the text after it.
func nextParam(s string) (name, value, rest string) {
	i := strings.IndexAny(s, "=;")
	if i < 0 {
		return "", "", ""
	}
	if s[i] == ';' {
		return "", "", s[i+1:]
	}
	name, s = s[:i], strings.TrimLeft(s[i+1:], " \t")
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ";")
		return name, strings.TrimSpace(value), rest
	}
	var b strings.Builder
	for i = 1; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		b.WriteByte(s[i])
	}
	_, rest, _ = strings.Cut(s[min(i+1, len(s)):], ";")
	return name, b.String(), rest
}

// joinParams joins parameters in several pieces (name*0, name*1) and decodes
// those with a character set (name*).
func joinParams(pieces map[string]string) map[string]string {
	out := make(map[string]string, len(pieces))
	for name, value := range pieces {
		base, star, found := strings.Cut(name, "*")
		switch {
		case !found:
			if out[name] == "" {
				out[name] = value
			}
		case star == "":
			out[base] = extended(value)
		case star == "0" || star == "0*":
			out[base] = continued(base, pieces)
		}
	}
	return out
}

// continued joins the pieces of one parameter.
func continued(base string, pieces map[string]string) string {
	var b strings.Builder
	encoded := false
	for i := range maxParams {
		key := base + "*" + strconv.Itoa(i)
		if v, ok := pieces[key]; ok {
			if encoded {
				v = strings.ReplaceAll(v, "%", "%25")
			}
			b.WriteString(v)
		} else if v, ok := pieces[key+"*"]; ok {
			encoded = encoded || i == 0
			b.WriteString(v)
		} else {
			break
		}
	}
	if encoded {
		return extended(b.String())
	}
	return b.String()
}

// extended decodes a value with a character set and percent signs, as in
// UTF-8'en'%E2%82%AC.
func extended(s string) string {
	label, rest, ok := strings.Cut(s, "'")
	if !ok {
		return s
	}
	_, text, ok := strings.Cut(rest, "'")
	if !ok {
		return s
	}
	raw := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && unhex(text[i+1]) >= 0 && unhex(text[i+2]) >= 0 {
			raw = append(raw, byte(unhex(text[i+1])<<4|unhex(text[i+2])))
			i += 2
			continue
		}
		raw = append(raw, text[i])
	}
	return decodeText(raw, label)
}
