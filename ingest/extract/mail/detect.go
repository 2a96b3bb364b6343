package mail

import (
	"bytes"
	"path"
	"strings"
)

// messageEndings are the file name endings of single messages.
var messageEndings = map[string]bool{
	".eml": true, ".emlx": true, ".mail": true, ".email": true, ".mht": true, ".mhtml": true, ".mim": true,
	".mime": true, ".nws": true,
}

// evidence are header fields that programs write and people do not.
var evidence = map[string]bool{
	"received": true, "message-id": true, "mime-version": true, "return-path": true, "delivered-to": true, "x-mailer": true,
	"dkim-signature":            true,
	"content-transfer-encoding": true, "snapshot-content-location": true, "x-received": true, "x-original-to": true, "x-mozilla-status": true,
	"x-uidl": true,
}

// addressed are header fields for people, the subject, and the date.
var addressed = map[string]bool{
	"from": true, "to": true, "cc": true, "subject": true, "date": true, "sender": true, "reply-to": true, "newsgroups": true,
}

// IsMessage reports whether a file with this name and beginning is a message.
// Lines such as "From:" or "Subject:" are not enough. The text also needs header
// fields that only programs write, or a name such as letter.eml.
func IsMessage(name string, head []byte) bool {
	head = trimFront(head)
	if IsMbox(head) {
		return false
	}
	var proofs, people, contents int
	for first := true; len(head) > 0; first = false {
		line, rest := cutLine(head)
		field, _, ok := cutField(line)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			rest = nil
		case ok:
			if strings.HasPrefix(field, "content-") {
				contents++
			}
			if evidence[field] {
				proofs++
			}
			if addressed[field] {
				people++
			}
		case first && isDigits(bytes.TrimSpace(line)): // the length that Apple Mail writes first
		case first:
			return false
		case line[0] == ' ' || line[0] == '\t':
		default:
			rest = nil
		}
		head = rest
	}
	if messageEndings[strings.ToLower(path.Ext(name))] {
		return proofs+people+contents >= 1
	}
	return proofs >= 1 && people >= 2 && proofs+people >= 4
}
