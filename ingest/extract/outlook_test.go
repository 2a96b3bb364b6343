package extract_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// oleEntry is a stream or a storage of a compound file.
type oleEntry struct {
	name     string
	data     string // of a stream
	children []oleEntry
}

// outlookText is a property with text.
func outlookText(id, text string) oleEntry {
	return oleEntry{name: "__substg1.0_" + id + "001F", data: string(utf16Text(text))}
}

func utf16Text(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

// compoundFile writes a compound file. All streams are in sectors of 512 bytes.
func compoundFile(entries []oleEntry) string {
	type slot struct {
		name        string
		kind        byte
		next, child uint32
		start, size uint32
	}
	const none = 0xffffffff
	slots := []slot{{name: "Root Entry", kind: 5, next: none, child: none, start: 0xfffffffe}}
	var body []byte
	var fat []uint32
	sectors := func(data []byte) uint32 {
		start := uint32(len(fat))
		for i := 0; i < len(data); i += 512 {
			body = append(body, data[i:min(len(data), i+512)]...)
			body = append(body, make([]byte, (512-len(body)%512)%512)...)
			fat = append(fat, uint32(len(fat)+1))
		}
		if len(data) == 0 {
			return 0xfffffffe
		}
		fat[len(fat)-1] = 0xfffffffe
		return start
	}
	var add func(parent int, list []oleEntry)
	add = func(parent int, list []oleEntry) {
		last := -1
		for _, e := range list {
			s := slot{name: e.name, kind: 2, next: none, child: none}
			if e.children != nil {
				s.kind = 1
			} else {
				s.start, s.size = sectors([]byte(e.data)), uint32(len(e.data))
			}
			slots = append(slots, s)
			at := len(slots) - 1
			if last < 0 {
				slots[parent].child = uint32(at)
			} else {
				slots[last].next = uint32(at)
			}
			last = at
			add(at, e.children)
		}
	}
	add(0, entries)
	var directory []byte
	for _, s := range slots {
		b := make([]byte, 128)
		name := utf16Text(s.name)
		copy(b, name)
		binary.LittleEndian.PutUint16(b[64:], uint16(len(name)+2))
		b[66] = s.kind
		binary.LittleEndian.PutUint32(b[68:], none)
		binary.LittleEndian.PutUint32(b[72:], s.next)
		binary.LittleEndian.PutUint32(b[76:], s.child)
		binary.LittleEndian.PutUint32(b[116:], s.start)
		binary.LittleEndian.PutUint32(b[120:], s.size)
		directory = append(directory, b...)
	}
	firstDir := sectors(directory)
	fatSectors := len(fat)/127 + 1
	firstFAT := uint32(len(fat))
	for range fatSectors {
		fat = append(fat, 0xfffffffd)
	}
	for _, n := range fat {
		body = binary.LittleEndian.AppendUint32(body, n)
	}
	head := make([]byte, 512)
	copy(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(head[30:], 9)
	binary.LittleEndian.PutUint16(head[32:], 6)
	binary.LittleEndian.PutUint32(head[44:], uint32(fatSectors))
	binary.LittleEndian.PutUint32(head[48:], firstDir)
	binary.LittleEndian.PutUint32(head[60:], 0xfffffffe)
	binary.LittleEndian.PutUint32(head[68:], 0xfffffffe)
	for i := range 109 {
		sector := uint32(none)
		if i < fatSectors {
			sector = firstFAT + uint32(i)
		}
		binary.LittleEndian.PutUint32(head[76+4*i:], sector)
	}
	return string(head) + string(body)
}

// outlookRTF is compressed RTF that holds "text" as literals.
func outlookRTF(text string) string {
	head := make([]byte, 16)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(text)))
	binary.LittleEndian.PutUint32(head[8:], 0x414c454d)
	return string(head) + text
}

// outlookMessage is a message with an attachment and a message in it.
func outlookMessage() string {
	properties := func(head int) oleEntry {
		return oleEntry{name: "__properties_version1.0", data: strings.Repeat("\x00", head)}
	}
	return compoundFile([]oleEntry{
		properties(32), outlookText("0037", "Grüße"), outlookText("0C1A", "Jürgen"), outlookText("5D01", "j@example.org"), outlookText("0E04", "team@example.org"), outlookText("1000", "Hello\r\nthere"),
		{name: "__attach_version1.0_#00000000", children: []oleEntry{properties(8), outlookText("3707", "a.csv"), {name: "__substg1.0_37010102", data: "a,b\n1,2\n"}}},
		{name: "__attach_version1.0_#00000001", children: []oleEntry{
			properties(8), outlookText("3001", "Inner"),
			{name: "__substg1.0_3701000D", children: []oleEntry{
				properties(24), outlookText("0037", "Inner"),
				{name: "__substg1.0_10090102", data: outlookRTF(`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}Caf\'e9 \u8364?\par End}`)},
			}},
		}},
	})
}

func TestOutlook(t *testing.T) {
	t.Parallel()
	doc, media := extractFile(t, "a.msg", []byte(outlookMessage()))
	want := `p "From: Jürgen <j@example.org>\nTo: team@example.org\nAttachments: a.csv"
p "Hello\nthere"
h1 "Inner"
p "Café €\nEnd"
`
	if got := show(doc); got != want || doc.Title != "Grüße" || media != "application/vnd.ms-outlook" {
		t.Errorf("%s %q\n%s\nwant:\n%s", media, doc.Title, got, want)
	}
	if got, want := showParts(t, "a.msg", outlookMessage()), "whole=true\na.csv \"a,b\\n1,2\\n\"\n"; got != want {
		t.Errorf("parts:\n%s", got)
	}
}
