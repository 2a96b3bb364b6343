package office

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"docent/internal/fault"
)

// OLESignature is the first bytes of a compound file, the container format of
// Office 2003 and earlier.
const OLESignature = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// LegacyError reports a document in a format of Office 2003 or earlier. Another
// program can convert such a document. A fault of kind fault.Invalid wraps the
// error.
type LegacyError struct {
	// Media is the media type of the document.
	Media string
}

// Error names the media type.
func (e *LegacyError) Error() string { return "a legacy office format: " + e.Media }

// oleKind is a kind of document that a stream identifies.
type oleKind struct {
	stream, media string
	reason        fault.Text
}

// oleKinds are the known kinds. More specific kinds come first.
var oleKinds = []oleKind{
	{"EncryptedPackage", "application/x-ole-storage", fault.NewText("document_encrypted",
		"encrypted: it needs a password; remove the password and add it again")},
	{"__properties_version1.0", "application/vnd.ms-outlook", fault.NewText("outlook_message_unsupported",
		"binary: a message of Outlook cannot be read here; save it as .eml")},
	{"WordDocument", "application/msword", fault.NewText("word_legacy",
		"a Word document of Office 2003 or earlier: install LibreOffice on this machine or save it as .docx")},
	{"PowerPoint Document", "application/vnd.ms-powerpoint", fault.NewText("powerpoint_legacy",
		"a PowerPoint presentation of Office 2003 or earlier: install LibreOffice on this machine or save it as .pptx")},
	{"Workbook", "application/vnd.ms-excel", fault.NewText("excel_legacy",
		"an Excel workbook of Office 2003 or earlier: install LibreOffice on this machine or save it as .xlsx")},
	{"Book", "application/vnd.ms-excel", fault.NewText("excel_95",
		"an Excel workbook of Office 95 and before: install LibreOffice on this machine or save it as .xlsx")},
	{"HwpDocument", "application/x-hwp", fault.NewText("hangul_document",
		"binary: a Hangul document; save it as PDF or .docx")},
	{"FileHeader", "application/x-hwp", fault.NewText("hangul_document",
		"binary: a Hangul document; save it as PDF or .docx")},
	{"VisioDocument", "application/vnd.visio", fault.NewText("visio_drawing",
		"binary: a drawing of Visio 2010 or earlier; save it as .vsdx or PDF")},
	{"   114", "application/vnd.ms-project", fault.NewText("project_plan",
		"binary: a plan of Microsoft Project; save it as PDF")},
	{"   112", "application/vnd.ms-project", fault.NewText("project_plan",
		"binary: a plan of Microsoft Project; save it as PDF")},
	{"Props9", "application/vnd.ms-project", fault.NewText("project_plan",
		"binary: a plan of Microsoft Project; save it as PDF")},
	{"Quill", "application/x-mspublisher", fault.NewText("publisher_document",
		"binary: a document of Microsoft Publisher; save it as PDF")},
	{"CONTENTS", "application/vnd.ms-works", fault.NewText("works_document",
		"binary: a document of Microsoft Works; save it as .docx or PDF")},
	{"MatOST", "application/vnd.ms-works", fault.NewText("works_document",
		"binary: a document of Microsoft Works; save it as .docx or PDF")},
	{"SwDocContentMgr", "application/sldworks", fault.NewText("solidworks_drawing",
		"binary: a drawing of SolidWorks; save it as PDF")},
	{"PerfectOffice_MAIN", "application/vnd.wordperfect", fault.NewText("wordperfect_document",
		"binary: a document of WordPerfect Office; save it as PDF")},
}

// legacyMedia are the formats that other programs can convert.
var legacyMedia = map[string]bool{"application/msword": true, "application/vnd.ms-powerpoint": true, "application/vnd.ms-excel": true}

// DetectOLE returns the media type of a compound file, and an error with the
// reason why docent cannot read it. For Word, Excel, and PowerPoint the error
// wraps a *LegacyError.
func DetectOLE(data []byte) (media string, err error) {
	streams := oleStreams(data)
	for _, k := range oleKinds {
		if !streams[strings.ToLower(k.stream)] {
			continue
		}
		if legacyMedia[k.media] {
			return k.media, &fault.Fault{Kind: fault.Invalid, Text: k.reason, Err: &LegacyError{k.media}}
		}
		return k.media, &fault.Fault{Kind: fault.Invalid, Text: k.reason}
	}
	if len(streams) == 0 && strings.Contains(string(data), string(utf16Name("EncryptedPackage"))) {
		return "application/x-ole-storage", &fault.Fault{Kind: fault.Invalid, Text: oleKinds[0].reason}
	}
	return "application/x-ole-storage", fault.New(fault.Invalid,
		"compound_file_unknown", "binary: a compound file of an unknown program; save it as PDF or to an Office format")
}

// utf16Name encodes a name as directories of compound files do.
func utf16Name(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

// maxOLESectors bounds the sectors of a directory.
const maxOLESectors = 4096

// oleStreams returns the names in the root directory of a compound file, or nil
// if the file is damaged.
func oleStreams(data []byte) map[string]bool {
	if len(data) < 512 || !strings.HasPrefix(string(data[:8]), OLESignature) {
		return nil
	}
	shift := binary.LittleEndian.Uint16(data[30:])
	if shift != 9 && shift != 12 {
		return nil
	}
	size := 1 << shift
	var directory []byte
	sector := binary.LittleEndian.Uint32(data[48:])
	for range maxOLESectors {
		at := (int64(sector) + 1) << shift
		if sector >= 0xfffffffa || at+int64(size) > int64(len(data)) {
			break
		}
		directory = append(directory, data[at:at+int64(size)]...)
		next, ok := nextSector(data, sector, size)
		if !ok {
			break
		}
		sector = next
	}
	return rootNames(directory)
}

// nextSector looks up the sector after another one. It reads only the part of
// the allocation table that the header lists, which covers at least the first 7
// MiB of a file.
func nextSector(data []byte, sector uint32, size int) (uint32, bool) {
	perTable := uint32(size / 4) //nolint:gosec // 512 or 4096
	i := sector / perTable
	if i >= 109 {
		return 0, false
	}
	table := binary.LittleEndian.Uint32(data[76+4*i:])
	at := (int64(table)+1)*int64(size) + int64(sector%perTable)*4
	if table >= 0xfffffffa || at+4 > int64(len(data)) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(data[at:]), true
}

// rootNames returns the lower-case names of the children of the root entry.
func rootNames(directory []byte) map[string]bool {
	const entry = 128
	count := len(directory) / entry
	if count == 0 {
		return nil
	}
	names := map[string]bool{}
	seen := make([]bool, count)
	next := []uint32{binary.LittleEndian.Uint32(directory[76:])} // the root's child
	for len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		if int64(i) >= int64(count) || seen[i] {
			continue
		}
		seen[i] = true
		e := directory[int(i)*entry:][:entry]
		n := min(int(binary.LittleEndian.Uint16(e[64:])), 64) / 2
		units := make([]uint16, 0, n)
		for j := range n {
			if u := binary.LittleEndian.Uint16(e[2*j:]); u != 0 {
				units = append(units, u)
			}
		}
		names[strings.ToLower(string(utf16.Decode(units)))] = true
		next = append(next, binary.LittleEndian.Uint32(e[68:]), binary.LittleEndian.Uint32(e[72:]))
	}
	return names
}
