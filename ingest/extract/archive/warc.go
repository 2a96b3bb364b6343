package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"docent/ingest/extract/part"
	"docent/internal/fault"
)

// maxWarcHead bounds the header of a record, in bytes.
const maxWarcHead = 64 << 10

// warc yields the answers in an archive of web pages. A record that is damaged ends it.
func (w *walk) warc(data []byte) error {
	for len(bytes.TrimLeft(data, "\r\n")) > 0 {
		if err := w.next(); err != nil {
			return err
		}
		data = bytes.TrimLeft(data, "\r\n")
		head, body, rest, err := warcRecord(data)
		if err != nil {
			return err
		}
		data = rest
		if err := w.answer(head, body); err != nil {
			return err
		}
	}
	return nil
}

// warcRecord cuts the first record off.
func warcRecord(data []byte) (head textproto.MIMEHeader, body, rest []byte, err error) {
	cut := fault.New(fault.Invalid, "warc_damaged", "damaged: the web archive is cut off")
	front := data[:min(len(data), maxWarcHead)]
	if !bytes.HasPrefix(front, []byte("WARC/")) {
		return nil, nil, nil, cut
	}
	end := bytes.Index(front, []byte("\r\n\r\n"))
	if end < 0 {
		return nil, nil, nil, cut
	}
	_, lines, _ := bytes.Cut(front[:end+4], []byte("\r\n"))
	head, err = textproto.NewReader(bufio.NewReader(bytes.NewReader(lines))).ReadMIMEHeader()
	if err != nil {
		return nil, nil, nil, cut
	}
	size, err := strconv.ParseInt(strings.TrimSpace(head.Get("Content-Length")), 10, 64)
	if err != nil || size < 0 || size > int64(len(data)-end-4) {
		return nil, nil, nil, cut
	}
	data = data[end+4:]
	return head, data[:size], data[size:], nil
}

// answer yields the document in a record.
func (w *walk) answer(head textproto.MIMEHeader, body []byte) error {
	kind := head.Get("Warc-Type")
	media := head.Get("Content-Type")
	address := strings.Trim(head.Get("Warc-Target-Uri"), "<>")
	if !strings.HasPrefix(address, "http") { // of names, or of the program that wrote the archive
		return nil
	}
	if kind == "response" {
		res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(body)), nil)
		if err != nil {
			return nil //nolint:nilerr // other records may be whole
		}
		media = res.Header.Get("Content-Type")
		encoding := strings.ToLower(res.Header.Get("Content-Encoding"))
		ok := res.StatusCode == http.StatusOK
		if ok {
			body, err = w.unpacked(res.Body, encoding)
		}
		_ = res.Body.Close() // it is in memory
		if errors.Is(err, errUnpacked) || w.ctx.Err() != nil {
			return err
		}
		if !ok || err != nil {
			return nil //nolint:nilerr // other records may be whole
		}
	} else if kind != "resource" && kind != "conversion" {
		return nil
	}
	name := warcName(address, media)
	if name == "" || len(body) == 0 {
		return nil
	}
	p := part.Part{Name: name, Data: body}
	if at, err := time.Parse(time.RFC3339, head.Get("Warc-Date")); err == nil {
		p.Modified = at
	}
	return w.emit(p)
}

// unpacked reads the content of an answer.
func (w *walk) unpacked(r io.Reader, encoding string) ([]byte, error) {
	switch encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := decompress(Gzip, r)
		if err != nil {
			return nil, err
		}
		defer z.Close() //nolint:errcheck // it is only read
		r = z
	default:
		return nil, errors.ErrUnsupported
	}
	return readEntry(&meter{w.ctx, r, w.budget}, 0)
}

// warcName returns the name of a document: the host and the path, with the usual ending
// for its media type. It is "" for pictures, scripts, and style sheets.
func warcName(address, media string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	media, _, err = mime.ParseMediaType(media)
	if err != nil {
		media = ""
	}
	ending := ""
	switch {
	case strings.HasPrefix(media, "image/"), strings.HasPrefix(media, "video/"), strings.HasPrefix(media, "audio/"),
		strings.HasPrefix(media, "font/"),
		strings.Contains(media, "javascript"), media == "text/css", media == "text/dns":
		return ""
	case media == "text/html", media == "application/xhtml+xml":
		ending = ".html"
	case media == "application/pdf":
		ending = ".pdf"
	case media == "text/plain" && path.Ext(u.Path) == "":
		ending = ".txt"
	}
	name := strings.TrimSuffix(u.Host+u.Path, "/")
	if u.RawQuery != "" {
		name += "?" + u.RawQuery
	}
	if ending != "" && !strings.EqualFold(path.Ext(name), ending) && !(ending == ".html" && strings.EqualFold(path.Ext(name), ".htm")) {
		name += ending
	}
	return part.Clean(name)
}
