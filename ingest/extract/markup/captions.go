package markup

import (
	"bytes"
	"context"
	"encoding/xml"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// captionEndings are the endings of subtitles that are neither SubRip nor WebVTT.
var captionEndings = []string{".ass", ".ssa", ".sbv", ".ttml", ".dfxp", ".lrc"}

// CaptionsFormat is subtitles of other kinds.
var CaptionsFormat = format.Format{
	Info: format.Info{
		Name: "Other subtitles", Short: "Subtitles",
		Group:     format.Markup,
		Endings:   captionEndings,
		Media:     "text/x-captions",
		NeverMail: true,
		Reads:     "as SubRip: SubStation Alpha, the transcripts of YouTube, Timed Text (TTML), MicroDVD, and lyrics",
		Leaves:    "styles, drawings, comments",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		if !f.IsText() {
			return format.Match{}
		}
		head := f.Trimmed()
		frames := f.HasEnding(".sub", ".txt") && frameCue.Match(firstLine(head))
		return format.If(f.HasInnerEnding(captionEndings...) || frames || timedText.Match(f.Head()), format.Sure)
	},
	Read: format.Bytes(Captions),
}

var (
	// timedText matches the root of Timed Text, and of the transcripts of YouTube.
	timedText = regexp.MustCompile(`^[\s\x{feff}]*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*)?(?:<(?:tt:)?tt\s[^>]*(?:ttaf1|ttml)|` +
		`<transcript>\s*<text start=|<timedtext[\s>])`)
	// scriptMark matches SubStation Alpha.
	scriptMark = regexp.MustCompile(`(?i)^[\s\x{feff}]*\[Script Info\]`)
	// frameCue matches a cue of MicroDVD, which has the numbers of frames.
	frameCue = regexp.MustCompile(`^\{(\d{1,7})\}\{\d{0,7}\}(.*)`)
	// rangeLine matches the times of a cue of YouTube.
	rangeLine = regexp.MustCompile(`^\s*(\d{1,3}):(\d{2}):(\d{2})\.\d{1,3},\d{1,3}:\d{2}:\d{2}\.\d{1,3}\s*$`)
	// lyric matches the times of a line of lyrics, and lyricWord those of its words.
	lyric     = regexp.MustCompile(`^\s*((?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\]\s*)+)(.*)`)
	lyricWord = regexp.MustCompile(`<\d{1,3}:\d{2}(?:[.:]\d{1,3})?>`)
	lyricTag  = regexp.MustCompile(`^\s*\[(ti|ar|al):([^\]]{1,300})\]`)
	// override matches the styles in a cue of SubStation Alpha, and drawing those that begin a drawing.
	override = regexp.MustCompile(`\{[^{}]*\}`)
	drawing  = regexp.MustCompile(`\{[^{}]*\\p[1-9]`)
	// spoken matches the name of a speaker in a transcript.
	spoken = regexp.MustCompile(`^>>\s*([\p{L} .'-]{1,60}):\s+`)
)

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text[:min(len(text), 1000)], []byte("\n"))
	return line
}

// Captions reads subtitles that are neither SubRip nor WebVTT, like [Subtitles].
func Captions(ctx context.Context, name string, data []byte) (*outline.Document, error) {
	text, err := textual(data)
	if err != nil {
		return nil, err
	}
	s := &subtitles{Writer: blocks.NewWriter(ctx, len(text)), next: -1}
	switch {
	case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n\ufeff"), "<"):
		s.timed(text)
	case scriptMark.MatchString(text[:min(len(text), 1000)]):
		s.script(text)
	default:
		s.lines(text, strings.HasSuffix(strings.ToLower(name), ".lrc"))
	}
	s.flush()
	return s.Document()
}

// say adds a cue with its speaker.
func (s *subtitles) say(speaker, text string) {
	if speaker != "" && speaker != s.speaker && strings.TrimSpace(text) != "" {
		s.flush()
		s.speaker = speaker
		text = speaker + ": " + text
	}
	s.add(text)
}

// lines reads transcripts of YouTube, MicroDVD, and lyrics.
func (s *subtitles) lines(text string, lyrics bool) {
	rate := 25.0
	for _, line := range blocks.SplitLines(text) {
		if s.Done() {
			return
		}
		if m := rangeLine.FindStringSubmatch(line); m != nil {
			s.at(clock(m[1], m[2], m[3]))
			continue
		}
		if m := frameCue.FindStringSubmatch(line); m != nil {
			if fps, err := strconv.ParseFloat(strings.TrimSpace(m[2]), 64); err == nil && fps > 1 && fps < 200 {
				rate = fps
				continue
			}
			frame, _ := strconv.Atoi(m[1]) //nolint:errcheck // only digits
			s.at(int(float64(frame) / rate))
			s.add(override.ReplaceAllString(strings.ReplaceAll(m[2], "|", " "), ""))
			continue
		}
		if lyrics {
			s.lyrics(line)
			continue
		}
		speaker := ""
		if m := spoken.FindStringSubmatch(line); m != nil {
			speaker, line = m[1], line[len(m[0]):]
		}
		s.say(speaker, line)
	}
}

// lyrics reads a line of lyrics. Each stays a line.
func (s *subtitles) lyrics(line string) {
	if m := lyricTag.FindStringSubmatch(line); m != nil {
		if m[1] == "ti" {
			s.Title = strings.TrimSpace(m[2])
		} else {
			s.Para(strings.TrimSpace(m[2]))
		}
		return
	}
	if m := lyric.FindStringSubmatch(line); m != nil {
		s.Para(lyricWord.ReplaceAllString(m[2], ""))
	}
}

// script reads SubStation Alpha. Its first lines name the fields of a cue.
func (s *subtitles) script(text string) {
	fields := []string{"layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"}
	for _, line := range blocks.SplitLines(text) {
		if s.Done() {
			return
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "title":
			s.Title = blocks.OneLine(value)
		case "format":
			if names := strings.Split(strings.ToLower(strings.ReplaceAll(value, " ", "")), ","); names[len(names)-1] == "text" {
				fields = names
			}
		case "dialogue":
			values := strings.SplitN(value, ",", len(fields))
			if len(values) == len(fields) {
				s.dialogue(fields, values)
			}
		}
	}
}

func (s *subtitles) dialogue(fields, values []string) {
	speaker := ""
	for i, field := range fields {
		value := strings.TrimSpace(values[i])
		switch field {
		case "start":
			if seconds, ok := seconds(value, 1); ok {
				s.at(seconds)
			}
		case "name", "actor":
			speaker = value
		case "text":
			if !drawing.MatchString(value) {
				s.say(speaker, strings.NewReplacer(`\N`, " ", `\n`, " ", `\h`, " ").Replace(override.ReplaceAllString(value, "")))
			}
		}
	}
}

// timed reads Timed Text, and the transcripts of YouTube in XML.
func (s *subtitles) timed(text string) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	ticks := 1.0
	var cue, title strings.Builder
	open, inTitle := false, false
	for !s.Done() {
		token, err := d.RawToken()
		if err != nil {
			return // the rest is damaged
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "tt":
				if rate, err := strconv.ParseFloat(attribute(t, "tickRate"), 64); err == nil && rate > 0 {
					ticks = rate
				}
			case "title":
				inTitle = true
			case "br":
				cue.WriteByte(' ')
			case "p", "text":
				open = true
				cue.Reset()
				for name, unit := range map[string]string{"begin": "", "start": "s", "t": "ms"} {
					if value := attribute(t, name); value != "" {
						if at, ok := seconds(value+unit, ticks); ok {
							s.at(at)
						}
					}
				}
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "title":
				inTitle = false
				s.Title = blocks.OneLine(title.String())
			case "p", "text":
				open = false
				s.add(blocks.OneLine(html.UnescapeString(cue.String())))
			}
		case xml.CharData:
			switch {
			case open:
				cue.Write(t)
			case inTitle && title.Len() < 1000:
				title.Write(t)
			}
		}
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// seconds parses a time such as 0:01:02.50, 00:01:02:12, 62.5s, 62500ms, or 625000000t.
func seconds(text string, ticks float64) (int, bool) {
	if parts := strings.Split(text, ":"); len(parts) >= 3 {
		whole, _, _ := strings.Cut(parts[2], ".")
		return clock(parts[0], parts[1], whole), true
	}
	for _, unit := range []struct {
		name  string
		value float64
	}{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"t", 1 / ticks}} {
		if digits, ok := strings.CutSuffix(text, unit.name); ok {
			n, err := strconv.ParseFloat(digits, 64)
			at := n * unit.value
			return int(at), err == nil && at >= 0 && at < maxSeconds
		}
	}
	return 0, false
}

// maxSeconds bounds the time of a cue.
const maxSeconds = 1000 * 3600

// clock returns a time in seconds. Parts that are no numbers count as 0.
func clock(hours, minutes, seconds string) int {
	total := 0
	for _, part := range []string{hours, minutes, seconds} {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 || n > 10_000 {
			n = 0
		}
		total = total*60 + n
	}
	return min(total, maxSeconds)
}
