package llm

import (
	"strings"
	"unicode"

	"docent/internal/lazyregexp"
)

// reading separates the reasoning and the tool calls in a model's text from the answer
// while the text arrives. All text of models passes through it. It knows the marks of
// marks.go, also if only one of a pair is there, or if pieces cut them in two.
//
// The rules are:
//
//   - Text after an opening mark is reasoning up to its closing mark, or to the end.
//   - A closing mark without an opening one makes the text before it reasoning.
//   - Marks in code are text.
//   - A text that begins like reasoning, or of a model that has left out an opening mark
//     before, is held back until a closing mark or the end.
type reading struct {
	// calls says whether the text may contain tool calls, as the text of models does even if no tools are offered.
	calls bool
	// tools are the offered tools.
	tools []Tool
	// holds says that the model leaves out the opening mark.
	holds bool

	mode    mode
	pending string // text that is not read yet
	scanned int    // bytes of pending without a mark, in the mode holding
	closing []string
	tag     string   // name of the tag around the reasoning, or ""
	nested  []string // names of the tags of reasoning inside the reasoning
	body    channel  // that the text belongs to
	thought bool     // reasoning has ended, or came apart from the text
	late    bool     // a closing mark came without an opening one
	said    strings.Builder
	mused   strings.Builder
	called  []Call
	// raw is the text from the first mark of a tool call on.
	raw string
}

// mode is the state of a reading.
type mode int

const (
	atStart      mode = iota // before the answer or the reasoning
	holding                  // of text that may be reasoning
	inText                   // in the answer
	inThoughts               // in reasoning
	inHeader                 // of a channel
	inChannel                // in the text of a channel
	afterChannel             // between channels
	inCall                   // in a tool call, up to the end
)

// channel is a channel of gpt-oss.
type channel struct {
	answers   bool
	call      string // name of the called tool
	arguments strings.Builder
}

// piece is the result of reading a piece of text.
type piece struct {
	text, reasoning string
	// restart says that the earlier text was reasoning.
	restart bool
}

// apart notes that the server separates reasoning from the text.
func (r *reading) apart(reasoning string) {
	r.thought, r.holds = true, false
	r.mused.WriteString(reasoning)
}

// write reads a piece.
func (r *reading) write(text string) piece { return r.read(text, false, "") }

// end reads the rest. reason is the server's reason for the end.
func (r *reading) end(reason string) piece { return r.read("", true, reason) }

func (r *reading) read(text string, last bool, reason string) piece {
	var p piece
	r.pending += text
	for r.step(&p, last, reason) {
	}
	if p.restart {
		r.mused.WriteString(r.said.String())
		r.said.Reset()
	}
	r.said.WriteString(p.text)
	r.mused.WriteString(p.reasoning)
	return p
}

// step reads up to the next change of mode. It returns false if it needs more text.
func (r *reading) step(p *piece, last bool, reason string) bool {
	switch r.mode {
	case atStart:
		return r.start(last)
	case holding:
		return r.hold(p, last, reason)
	case inText:
		return r.text(p, last)
	case inThoughts:
		return r.think(p, last)
	case inHeader:
		return r.header(p, last)
	case inChannel:
		return r.channel(p, last)
	case afterChannel:
		return r.next(last)
	default:
		r.raw += r.pending
		r.pending = ""
		return false
	}
}

// start reads the first text, and the first one after reasoning.
func (r *reading) start(last bool) bool {
	r.pending = strings.TrimLeftFunc(r.pending, unicode.IsSpace)
	if r.pending == "" {
		return false
	}
	if m, ok := markAtStart(r.pending, r.calls); ok && !(last && m.kind == closesReasoning) {
		if longer := beginsAnyMark(r.pending, r.calls); longer && !last {
			return false
		}
		switch m.kind {
		case closesReasoning: // of empty reasoning
			r.pending, r.thought = r.pending[len(m.text):], true
		case emphasizes:
			r.pending = r.pending[len(m.text):]
		default:
			r.enter(m)
		}
		return true
	}
	if r.thought {
		for _, m := range answerMarks {
			if strings.HasPrefix(lowered(r.pending[:min(len(r.pending), maxMark)]), m) {
				r.pending = r.pending[len(m):]
				return true
			}
		}
	}
	if !last && (beginsAnyMark(r.pending, r.calls) || r.thought && beginsMark(r.pending, answerMarks)) {
		return false
	}
	switch {
	case r.calls && !last && begunData.MatchString(r.pending):
		return false
	case r.calls && r.beginsData():
		r.mode = holding
		return true
	case r.thought:
		r.mode = inText
		return true
	}
	switch {
	case bareAnalysis.MatchString(r.pending):
		r.pending = strings.TrimPrefix(strings.TrimPrefix(r.pending, "analysis"), "commentary")
		r.mode, r.closing, r.tag = inThoughts, bareFinals, ""
	case !last && mayBeAnalysis(r.pending):
		return false
	case !last && !r.holds && mayThinkAloud(r.pending):
		return false
	case r.holds || thinksAloud.MatchString(r.pending):
		r.mode = holding
	default:
		r.mode = inText
	}
	return true
}

// beginsData reports whether the text begins like JSON, which may be a tool call. With tools, blocks of code may be one, too.
func (r *reading) beginsData() bool {
	s := r.pending
	return data.MatchString(s) || len(r.tools) > 0 && (s[0] == '[' && !markerStart.MatchString(s) || strings.HasPrefix(s, "```"))
}

var (
	// data matches the beginning of an object in JSON, or of a list of them, also in a block of code, and that of a bareCall.
	data = lazyregexp.New("^(?:```[a-z_]*\\s*)?(?:\\[\\s*)?\\{|^(?:commentary )?to=\\w")
	// begunData matches a text that may continue so.
	begunData = lazyregexp.New("^`{1,2}$|^commentary(?: t?o?=?)?$|^to?=?$|^(?:```[a-z_]*\\s*)?(?:\\[\\s*)?$")
)

// markerStart matches a citation at the start of a text.
var markerStart = lazyregexp.New(`^\[\^?\d`)

// enter begins the mode after a mark at the start of pending.
func (r *reading) enter(m mark) {
	switch m.kind {
	case opensChannel: // the header includes the mark
		r.mode = inHeader
	case opensCall: // the call includes the mark
		r.mode = inCall
	default:
		r.pending = r.pending[len(m.text):]
		r.mode, r.closing, r.nested, r.tag = inThoughts, m.closing, nil, m.tag
	}
}

// hold waits for a mark or the end.
func (r *reading) hold(p *piece, last bool, reason string) bool {
	m, at := firstMark(r.pending[r.scanned:], r.calls)
	if at >= 0 {
		at += r.scanned
		if inCode(r.pending[:at]) {
			r.scanned = at + len(m.text)
			return true
		}
		switch m.kind {
		case closesReasoning:
			p.reasoning += r.pending[:at]
			r.pending, r.scanned = r.pending[at+len(m.text):], 0
			r.mode, r.thought, r.late = atStart, true, true
		case opensChannel: // its opening mark may be in the prompt
			p.reasoning += r.pending[:at]
			r.pending, r.scanned = r.pending[at:], 0
			r.thought, r.mode = true, inHeader
		default:
			r.mode, r.scanned = inText, 0
		}
		return true
	}
	r.scanned = max(0, len(r.pending)-maxMark)
	switch {
	case !last:
	case reason == "length" && !r.beginsData(): // the closing mark is missing, too
		p.reasoning += r.pending
		r.pending = ""
	default:
		r.scanned = 0
		if calls, is := callsInData(r.pending, r.tools); is && r.beginsData() {
			r.called, r.raw, r.pending = calls, r.pending, ""
			return false
		}
		r.mode = inText
		return true
	}
	return false
}

// text reads the answer.
func (r *reading) text(p *piece, last bool) bool {
	m, at := firstMark(r.pending, r.calls)
	if at < 0 {
		keep := 0
		switch short := withoutAnswerMark(r.pending); {
		case last && r.thought:
			r.pending = short
		case last:
		case r.thought && len(short) < len(r.pending):
			keep = len(r.pending) - len(short)
		case r.thought:
			keep = halfMark(r.pending, r.calls, answerMarks...)
		default:
			keep = halfMark(r.pending, r.calls)
		}
		p.text += r.pending[:len(r.pending)-keep]
		r.pending = r.pending[len(r.pending)-keep:]
		return false
	}
	before := r.pending[:at]
	said := r.said.String()
	if p.restart {
		said = ""
	}
	said += p.text + before
	switch {
	case inCode(said):
		p.text += r.pending[:at+len(m.text)]
		r.pending = r.pending[at+len(m.text):]
	case m.kind == emphasizes, m.kind == closesReasoning && r.thought: // a stray one
		p.text += before
		r.pending = r.pending[at+len(m.text):]
	case m.kind == closesReasoning:
		r.retract(p, before)
		r.pending = r.pending[at+len(m.text):]
		r.mode, r.thought, r.late = atStart, true, true
	default:
		p.text += before
		r.pending = r.pending[at:]
		r.enter(m)
	}
	return true
}

// withoutAnswerMark removes the mark at the end of an answer.
func withoutAnswerMark(s string) string {
	short := strings.TrimRightFunc(s, unicode.IsSpace)
	low := lowered(short)
	for _, m := range answerMarks {
		if strings.HasSuffix(low, m) {
			return short[:len(short)-len(m)]
		}
	}
	return s
}

// retract makes the text so far reasoning.
func (r *reading) retract(p *piece, more string) {
	p.restart = p.restart || r.said.Len() > 0
	p.reasoning += p.text + more
	p.text = ""
}

// think reads reasoning.
func (r *reading) think(p *piece, last bool) bool {
	var m mark
	var at int
	if r.tag != "" {
		m, at = firstTag(lowered(r.pending))
	} else {
		m.text, at = firstOf(r.pending, r.closing)
	}
	if at < 0 {
		keep := 0
		switch {
		case last:
		case r.tag != "":
			keep = halfMark(r.pending, false)
		default:
			keep = half(r.pending, r.closing)
		}
		p.reasoning += r.pending[:len(r.pending)-keep]
		r.pending = r.pending[len(r.pending)-keep:]
		return false
	}
	if r.tag != "" && r.inside(m) {
		p.reasoning += r.pending[:at+len(m.text)]
		r.pending = r.pending[at+len(m.text):]
		return true
	}
	p.reasoning += r.pending[:at]
	r.pending = r.pending[at+len(m.text):]
	r.mode, r.thought = atStart, true
	return true
}

// inside reports whether a tag belongs to reasoning inside the reasoning, as in
// <thinking>…<reflection>…</reflection>…</thinking>. The closing tag of the whole always
// ends it, and another one only if nothing inside is open.
func (r *reading) inside(m mark) bool {
	switch n := len(r.nested); {
	case m.kind == opensReasoning:
		if m.tag != r.tag && n < maxNested {
			r.nested = append(r.nested, m.tag)
		}
		return true
	case m.tag == r.tag, n == 0:
		return false
	case m.tag == r.nested[n-1]:
		r.nested = r.nested[:n-1]
	}
	return true
}

// maxNested limits the depth of reasoning inside reasoning.
const maxNested = 8

// maxHeader limits the header of a channel, in bytes.
const maxHeader = 256

var (
	channelName = lazyregexp.New(`<\|channel\|>\s*(\w+)`)
	otherRole   = lazyregexp.New(`<\|start\|>(?:user|system|developer|tool|functions)`)
	recipient   = lazyregexp.New(`\bto=(?:functions\.)?([\w.:-]+)`)
)

// header reads the header of a channel.
func (r *reading) header(p *piece, last bool) bool {
	at := strings.Index(r.pending, harmonyMessage)
	if at < 0 {
		switch {
		case len(r.pending) >= maxHeader: // it is no header
			p.text += r.pending
			r.mode, r.pending = inText, ""
		case last: // no text has come
			r.pending = ""
		}
		return false
	}
	head := r.pending[:at]
	r.pending = r.pending[at+len(harmonyMessage):]
	r.body = channel{answers: !otherRole.MatchString(head)}
	if m := channelName.FindStringSubmatch(head); m != nil {
		r.body.answers = r.body.answers && m[1] == "final"
	}
	if m := recipient.FindStringSubmatch(head); m != nil {
		r.body.call, r.body.answers = m[1], false
	}
	if r.body.answers && !r.thought && (r.said.Len() > 0 || strings.TrimSpace(p.text) != "") { // the start of the analysis is in the prompt
		r.retract(p, "")
	}
	r.mode, r.thought = inChannel, true
	return true
}

// channel reads the text of a channel.
func (r *reading) channel(p *piece, last bool) bool {
	m, at := firstOf(r.pending, harmonyEnds)
	n := at
	if at < 0 {
		n = len(r.pending)
		if !last {
			n -= half(r.pending, harmonyEnds)
		}
	}
	switch text := r.pending[:n]; {
	case r.body.answers:
		p.text += text
	case r.body.call != "":
		r.body.arguments.WriteString(text)
	default:
		p.reasoning += text
	}
	r.pending = r.pending[n:]
	if at >= 0 && m != harmonyStart && m != harmonyChannel {
		r.pending = r.pending[len(m):]
	}
	if (at >= 0 || last) && r.body.call != "" {
		r.called = append(r.called, Call{Name: r.body.call, Arguments: strings.TrimSpace(r.body.arguments.String())})
		r.body.call = ""
	}
	if at < 0 {
		return false
	}
	r.mode = afterChannel
	return true
}

// next reads up to the next channel, or to text without one.
func (r *reading) next(last bool) bool {
	r.pending = strings.TrimLeftFunc(r.pending, unicode.IsSpace)
	begins := []string{harmonyStart, harmonyChannel}
	if r.pending == "" || !last && beginsMark(r.pending, begins) {
		return false
	}
	r.mode = atStart
	if _, at := firstOf(r.pending[:min(len(r.pending), maxMark)], begins); at == 0 {
		r.mode = inHeader
	}
	return true
}

// mayBeAnalysis reports whether a text may continue to the name of a channel without its mark.
func mayBeAnalysis(s string) bool {
	for _, word := range []string{"analysis", "commentary"} {
		if len(s) < len(word) && s == word[:len(s)] || len(s) >= len(word) && len(s) < len(word)+2 && s[:len(word)] == word {
			return true
		}
	}
	return false
}
