package markup

import (
	"context"
	"fmt"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// cueTime matches the line that says when a cue is shown.
var cueTime = lazyregexp.New(`^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}\s+-->\s+[\d:.,]+`)

// cueTag matches the tags in a cue, and cueVoice the tag that names the
// speaker.
var (
	cueTag   = lazyregexp.New(`</?[A-Za-z0-9:][^<>]{0,200}>|\{\\[^{}]{0,100}\}`)
	cueVoice = lazyregexp.New(`<v(?:\.[\w.]+)?\s+([^<>]{1,100})>`)
)

// sectionSeconds is the length of the sections.
const sectionSeconds = 60

// Subtitles reads SRT and WebVTT. It joins cues into paragraphs and starts a
// section about every minute. The name of a section is its start time.
func Subtitles(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, err := textual(data)
	if err != nil {
		return nil, err
	}
	s := &subtitles{Writer: blocks.NewWriter(ctx, len(text)), next: -1}
	lines := blocks.SplitLines(text)
	for i := 0; i < len(lines); {
		if s.Done() {
			break
		}
		n := untilBlank(lines[i:])
		if n == 0 {
			i++
			continue
		}
		s.cue(lines[i : i+n])
		i += n
	}
	s.flush()
	return s.Document()
}

// subtitles is the state of reading subtitles.
type subtitles struct {
	*blocks.Writer
	buf     strings.Builder
	next    int // start of the next section, in seconds
	speaker string
	last    string // the previous line, which scrolling cues repeat
}

// cue adds the lines of a cue.
func (s *subtitles) cue(lines []string) {
	for i, l := range lines {
		m := cueTime.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		var h, min, sec int
		if _, err := fmt.Sscanf("0"+m[1]+" "+m[2]+" "+m[3], "%d %d %d", &h, &min, &sec); err == nil {
			s.at(h*3600 + min*60 + sec)
		}
		for _, text := range lines[i+1:] {
			s.add(text)
		}
		return
	}
}

// at starts a section when the time for the next one has come.
func (s *subtitles) at(seconds int) {
	if seconds < s.next {
		return
	}
	s.flush()
	s.speaker = ""
	s.next = seconds - seconds%sectionSeconds + sectionSeconds
	s.Heading(1, fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60))
}

// add adds a line of a cue. A new speaker starts a paragraph.
func (s *subtitles) add(text string) {
	speaker := ""
	if m := cueVoice.FindStringSubmatch(text); m != nil {
		speaker = m[1]
	}
	text = strings.TrimSpace(strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&nbsp;",
		" ").Replace(cueTag.ReplaceAllString(text, "")))
	if text == "" || text == s.last {
		return
	}
	s.last = text
	if speaker != "" && speaker != s.speaker {
		s.flush()
		s.speaker = speaker
		text = speaker + ": " + text
	} else if strings.HasPrefix(text, "- ") {
		s.flush()
	}
	if s.buf.Len() > 0 {
		s.buf.WriteByte(' ')
	}
	s.buf.WriteString(text)
}

// flush ends the paragraph.
func (s *subtitles) flush() {
	s.Para(s.buf.String())
	s.buf.Reset()
}
