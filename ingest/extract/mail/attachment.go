package mail

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"

	"docent/ingest/extract/part"
)

// otherEndings are the file name endings of unnamed attachments whose media
// type is not the main one of a format.
var otherEndings = map[string]string{
	"text/calendar": ".ics", "text/rtf": ".rtf", "application/xml": ".xml", "application/gzip": ".gz",
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/tiff": ".tif",
}

// endingOf returns the file name ending of an unnamed attachment with a media
// type, or "".
func endingOf(media string, usual func(media string) string) string {
	return cmp.Or(otherEndings[media], usual(media))
}

// ignoredMedia are parts for programs, such as signatures and reports of mail
// servers.
var ignoredMedia = map[string]bool{
	"application/pgp-signature": true, "application/pkcs7-signature": true, "application/x-pkcs7-signature": true,
	"application/pgp-encrypted": true, "application/pgp-keys": true,
	"message/external-body": true, "message/partial": true, "text/x-amp-html": true, "message/feedback-report": true,
	"text/rfc822-headers":   true,
	"application/applefile": true,
}

// isAttachment reports whether a leaf part is a separate file. Text with a name
// is one, unless it is at the place of the body.
func (e *entity) isAttachment(s *state) bool {
	if e.media == "message/delivery-status" || e.media == "message/disposition-notification" {
		return false
	}
	if e.isInvitation() {
		return false
	}
	if !e.isText() || e.disposition == "attachment" {
		return true
	}
	return e.filename != "" && s.hasBody
}

// attachmentsOf lists the attachments of a message in order. If deep is set, it
// includes those of nested messages.
func attachmentsOf(e *entity, deep bool) []*entity {
	var out []*entity
	var walk func(e *entity, s *state)
	walk = func(e *entity, s *state) {
		switch {
		case e.isMessage():
			for _, c := range e.children {
				if deep {
					walk(c, &state{})
				}
			}
		case e.isEncrypted(), ignoredMedia[e.media]:
		case len(e.children) > 0:
			root := e
			if e.media == "multipart/related" {
				root = e.root()
			}
			for _, c := range e.children {
				switch {
				case e.media == "multipart/related" && c != root && len(c.children) == 0 &&
					(c.filename == "" || strings.HasPrefix(c.media, "image/")) && c.disposition != "attachment":
				case e.media == "multipart/alternative" && c.isText() && c.disposition != "attachment":
					s.hasBody = true
				case e.media == "multipart/alternative" && c.media == "text/calendar":
				default:
					walk(c, s)
				}
			}
		case strings.HasPrefix(e.media, "multipart/"):
		case e.isTNEF():
			if t := readTNEF(e.content()); t != nil {
				out = append(out, t.attachments()...)
			}
		case e.isAttachment(s):
			out = append(out, e)
		default:
			s.hasBody = s.hasBody || len(bytes.TrimSpace(e.body)) > 0
			if bytes.Contains(e.body, []byte("begin ")) {
				_, files := splitUU(e.content())
				for _, f := range files {
					out = append(out, &entity{media: "application/octet-stream", filename: oneLine(f.name), body: f.content})
				}
			}
		}
	}
	walk(e, &state{})
	return out
}

// attachmentNames returns the names of the attachments for display.
func attachmentNames(e *entity) []string {
	var out []string
	for _, a := range attachmentsOf(e, false) {
		if name := part.Clean(a.filename); name != "" {
			out = append(out, path.Base(name))
		}
	}
	return out
}

// Attachments yields the files in a message and in the messages inside it, one
// at a time. usual returns the usual file name ending of a media type, or "", for attachments without a name.
func Attachments(ctx context.Context, data []byte, usual func(media string) string) iter.Seq2[part.Part, error] {
	return func(yield func(part.Part, error) bool) {
		e := parse(data)
		date := parseDate(e.header["date"])
		var names part.Names
		for i, a := range attachmentsOf(e, true) {
			if err := ctx.Err(); err != nil {
				yield(part.Part{}, err)
				return
			}
			name := path.Base(part.Clean(a.filename))
			if name == "." {
				name = "attachment-" + strconv.Itoa(i+1) + endingOf(a.media, usual)
			}
			content := a.content()
			if len(content) == 0 {
				continue
			}
			if !yield(part.Part{Name: names.Unique(name), Data: content, Modified: date}, nil) {
				return
			}
		}
	}
}

// parseDate reads the Date field; the zero time if it cannot be read.
func parseDate(s string) time.Time {
	s = strings.TrimSpace(stripComment(oneLine(s)))
	if _, after, ok := strings.Cut(s, ","); ok {
		s = strings.TrimSpace(after)
	}
	for _, layout := range []string{
		"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04 -0700",
		"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04:05 MST", "2 Jan 2006 15:04:05",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
