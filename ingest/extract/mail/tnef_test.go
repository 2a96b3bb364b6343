package mail_test

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/mail"
)

// winmail is a winmail.dat with a body and a file.
func winmail() []byte {
	data := []byte{0x78, 0x9f, 0x3e, 0x22, 1, 0}
	add := func(id uint16, value []byte) {
		data = binary.LittleEndian.AppendUint16(append(data, 1), id)
		data = append(data, 0, 0)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(value))) //nolint:gosec // short
		data = append(append(data, value...), 0, 0)
	}
	property := func(tag uint32, value string) []byte {
		out := binary.LittleEndian.AppendUint32(nil, tag)
		out = binary.LittleEndian.AppendUint32(out, 1)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(value))) //nolint:gosec // short
		out = append(out, value...)
		return append(out, make([]byte, (4-len(value)%4)%4)...)
	}
	body := append([]byte{2, 0, 0, 0}, 3, 0, 2, 0, 9, 9, 9, 9) // a number before the text
	add(0x9003, append(body, property(0x10130102, "<p>The seal costs <b>45</b> EUR.</p>")...))
	add(0x9002, make([]byte, 14))
	add(0x8010, []byte("LIST~1.CSV\x00"))
	add(0x800f, []byte("a,b\n1,2\n"))
	add(0x9005, append([]byte{1, 0, 0, 0}, property(0x3707001f, "l\x00i\x00s\x00t\x00.\x00c\x00s\x00v\x00\x00\x00")...))
	return data
}

func TestTNEF(t *testing.T) {
	t.Parallel()
	message := []byte("From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n" +
		base64.StdEncoding.EncodeToString(winmail()) + "\n")
	extracttest.Check(t, mail.Read, message, "s", "p From: a\\nAttachments: list.csv\np The seal costs 45 EUR.\n")
	var got []string
	for p, err := range mail.Attachments(t.Context(), message, func(string) string { return "" }) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Name+"="+string(p.Data))
	}
	if strings.Join(got, " ") != "list.csv=a,b\n1,2\n" {
		t.Errorf("attachments %q", got)
	}
}

// TestInvitation reads the time and the place of a meeting.
func TestInvitation(t *testing.T) {
	t.Parallel()
	const event = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nSUMMARY:Inspection\nDTSTART:20261117T081500\nLOCATION:Dock 3\nEND:VEVENT\nEND:VCALENDAR\n"
	for name, kind := range map[string]string{"version": "alternative", "part": "mixed"} {
		message := "From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/" + kind + "; boundary=x\n\n--x\nContent-Type: text/plain\n\nYou are invited.\n" +
			"--x\nContent-Type: text/calendar; method=REQUEST\n\n" + event + "--x\nContent-Type: text/calendar\n\n" + event + "--x--\n"
		doc, err := mail.Read(t.Context(), "", []byte(message))
		if err != nil {
			t.Fatal(err)
		}
		want := "p From: a\np You are invited.\nh1 Inspection\np When: Tuesday, 17 November 2026, 08:15\\nWhere: Dock 3\n"
		if got := extracttest.Show(doc); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func FuzzTNEF(f *testing.F) {
	f.Add(winmail())
	f.Fuzz(func(t *testing.T, data []byte) {
		message := []byte("Subject: s\nContent-Type: application/ms-tnef\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString(data))
		if doc, err := mail.Read(t.Context(), "", message); err == nil {
			extracttest.Verify(t, doc)
		}
	})
}
