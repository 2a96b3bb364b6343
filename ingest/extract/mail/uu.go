package mail

import "bytes"

// cutUU finds a uuencoded file. It returns the name, the content, and the
// length of text up to the end of the file.
func cutUU(data []byte) (name string, content []byte, length int, ok bool) {
	start := uuStart(data)
	if start < 0 {
		return "", nil, 0, false
	}
	line, rest := cutLine(data[start:])
	name = string(line[min(len(line), len("begin 644 ")):])
	for len(rest) > 0 {
		line, rest = cutLine(rest)
		if bytes.Equal(bytes.TrimSpace(line), []byte("end")) {
			return name, content, len(data) - len(rest), true
		}
		if len(line) == 0 {
			continue
		}
		n := int(line[0]-' ') & 63
		if len(line) < 1+n/3*4 {
			break
		}
		content = appendUU(content, line[1:], n)
	}
	return "", nil, 0, false
}

// appendUU decodes the n bytes of a line and appends them.
func appendUU(out, line []byte, n int) []byte {
	for i := 0; n > 0 && i < len(line); i += 4 {
		var v uint32
		for j := range 4 {
			v <<= 6
			if i+j < len(line) {
				v |= uint32(line[i+j]-' ') & 63
			}
		}
		for _, c := range [3]byte{byte(v >> 16), byte(v >> 8), byte(v)} {
			if n > 0 {
				out = append(out, c)
				n--
			}
		}
	}
	return out
}

// uuStart returns the position of a line such as "begin 644 name", or -1.
func uuStart(data []byte) int {
	for from := 0; from < len(data); {
		i := bytes.Index(data[from:], []byte("begin "))
		if i < 0 {
			return -1
		}
		at := from + i
		line, _ := cutLine(data[at:])
		fields := bytes.Fields(line[:min(len(line), 400)])
		if (at == 0 || data[at-1] == '\n') && len(fields) >= 3 && len(fields[1]) >= 3 && len(bytes.Trim(fields[1], "01234567")) == 0 {
			return at
		}
		from = at + len("begin ")
	}
	return -1
}

// uuFile is a uuencoded file inside a text.
type uuFile struct {
	name    string
	content []byte
}

// splitUU separates the uuencoded files in a text from the rest of the text.
func splitUU(data []byte) (text []byte, files []uuFile) {
	for len(files) < maxEntities {
		start := uuStart(data)
		if start < 0 {
			break
		}
		name, content, length, ok := cutUU(data[start:])
		if !ok {
			break
		}
		text = append(text, data[:start]...)
		files = append(files, uuFile{name, content})
		data = data[start+length:]
	}
	if len(files) == 0 {
		return data, nil
	}
	return append(text, data...), files
}
