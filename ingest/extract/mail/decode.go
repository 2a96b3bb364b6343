package mail

import (
	"bytes"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"docent/ingest/extract/charset"
	"docent/ingest/outline"
)

// decodeText returns text in a declared character set as clean UTF-8. It never
// fails: bytes that no character set explains are replaced.
func decodeText(data []byte, label string) string {
	label = strings.ToLower(strings.Trim(label, " \t\"'"))
	switch {
	case label == "utf-7" || label == "unicode-1-1-utf-7":
		return outline.Clean(decodeUTF7(data))
	case label == "hz-gb-2312":
		return convert(data, simplifiedchinese.HZGB2312)
	case strings.HasPrefix(label, "iso-2022-"), bytes.Contains(data, []byte("\x1b$B")), bytes.Contains(data, []byte("\x1b$@")):
		// These use ASCII bytes only, so they would pass as UTF-8.
		if enc, _ := htmlcharset.Lookup("iso-2022-jp"); enc != nil && !strings.HasPrefix(label, "iso-2022-kr") &&
			!strings.HasPrefix(label, "iso-2022-cn") {
			return convert(data, enc)
		}
	}
	text, _, err := charset.Decode(data, label)
	if err != nil {
		return convert(data, charmap.Windows1252)
	}
	return text
}

// convert decodes data. It replaces undecodable bytes by replacement
// characters.
func convert(data []byte, enc encoding.Encoding) string {
	text, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		text = data
	}
	return outline.Clean(string(text))
}

// decodeTransfer undoes a Content-Transfer-Encoding. It decodes broken
// encodings as far as possible.
func decodeTransfer(data []byte, name string) []byte {
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(stripComment(name))), ";")
	switch strings.Trim(name, " \t\"'.:") {
	case "base64", "b", "base-64":
		if isProse(data) {
			return data
		}
		return decodeBase64(data)
	case "quoted-printable", "quotedprintable", "quoted printable", "q":
		return decodeQuoted(data)
	case "x-uuencode", "x-uue", "uuencode", "uue":
		if _, content, _, ok := cutUU(data); ok {
			return content
		}
	}
	return data
}

// isProse reports whether text that should be Base64 is plain text. Many lines
// of plain text have several words.
func isProse(data []byte) bool {
	lines, prose := 0, 0
	for data = data[:min(len(data), 2048)]; len(data) > 0; {
		var line []byte
		line, data = cutLine(data)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines++
			if bytes.IndexByte(line, ' ') > 0 {
				prose++
			}
		}
	}
	return prose*2 > lines
}

// base64Values are the values of the Base64 characters plus one. They include
// the URL variant.
var base64Values = func() (v [256]byte) {
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		v[c] = byte(i + 1)
	}
	v['-'], v['_'] = v['+'], v['/']
	return v
}()

// decodeBase64 decodes Base64 and skips foreign characters. Text that follows the
// padding, such as the footer of a mailing list, is left out.
func decodeBase64(data []byte) []byte {
	out := make([]byte, 0, len(data)/4*3+3)
	var acc uint32
	bits, padded := 0, false
	for len(data) > 0 {
		line, rest := cutLine(data)
		if padded && bytes.ContainsAny(line, " _.,:;!?()<>@") {
			break
		}
		for _, c := range line {
			if c == '=' {
				acc, bits, padded = 0, 0, true
				continue
			}
			v := base64Values[c]
			if v == 0 {
				continue
			}
			acc = acc<<6 | uint32(v-1)
			if bits += 6; bits >= 8 {
				bits -= 8
				out = append(out, byte(acc>>bits))
			}
		}
		data = rest
	}
	return out
}

// decodeQuoted decodes quoted-printable text. It keeps an equals sign without
// two hexadecimal digits.
func decodeQuoted(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		line, rest := cutLine(data)
		ended := len(rest) > 0 || data[len(data)-1] == '\n'
		line = bytes.TrimRight(line, " \t")
		soft := bytes.HasSuffix(line, []byte("="))
		if soft {
			line = line[:len(line)-1]
		}
		out = appendQuoted(out, line)
		if ended && !soft {
			out = append(out, '\n')
		}
		data = rest
	}
	return out
}

// appendQuoted decodes the =XX escapes of a line and appends it.
func appendQuoted(out, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		if line[i] == '=' && i+2 < len(line) {
			if hi, lo := unhex(line[i+1]), unhex(line[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, line[i])
	}
	return out
}

// unhex returns the value of a hexadecimal digit, or -1.
func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// decodeUTF7 decodes UTF-7, which old mailers use.
func decodeUTF7(data []byte) string {
	var b strings.Builder
	utf16 := charset16()
	for len(data) > 0 {
		i := bytes.IndexByte(data, '+')
		if i < 0 {
			b.Write(data)
			break
		}
		b.Write(data[:i])
		data = data[i+1:]
		end := 0
		for end < len(data) && base64Values[data[end]] != 0 && data[end] != '-' && data[end] != '_' {
			end++
		}
		if end == 0 {
			b.WriteByte('+')
		} else {
			raw := decodeBase64(data[:end])
			text, _ := utf16.NewDecoder().Bytes(raw[:len(raw)&^1])
			b.Write(text)
		}
		data = data[end:]
		if len(data) > 0 && data[0] == '-' {
			data = data[1:]
		}
	}
	return b.String()
}

// unflow joins the lines that a mailer broke (format=flowed, RFC 3676). A line
// that ends with a space continues on the next line with the same quoting.
func unflow(text string, delsp bool) string {
	var b strings.Builder
	b.Grow(len(text))
	open, openDepth := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		depth := len(line) - len(strings.TrimLeft(line, ">"))
		body := strings.TrimPrefix(line[depth:], " ")
		goesOn := strings.HasSuffix(body, " ") && body != "-- "
		if goesOn && delsp {
			body = body[:len(body)-1]
		}
		if open && depth == openDepth && body != "-- " {
			b.WriteString(body)
		} else {
			if open {
				b.WriteByte('\n')
			}
			if depth > 0 {
				b.WriteString(line[:depth])
				b.WriteByte(' ')
			}
			b.WriteString(body)
		}
		open, openDepth = goesOn, depth
		if !goesOn {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
