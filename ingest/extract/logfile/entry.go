package logfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// level is how bad an entry is.
type level uint8

// The levels that matter to readers.
const (
	normal level = iota
	warning
	failure
)

// entry is an entry of a log.
type entry struct {
	// day is the day as in the log or, if it has a year, in the form 2006-01-02. clock is the time with seconds.
	day, clock string
	level      level
	text       string
	further    bool   // a line of the entry before, which a container writes with a time of its own
	bare       string // the line that a container wrote, if it has neither a time nor a level
}

// times are the forms of a time. Their groups are the day and the time of day.
var times = []*regexp.Regexp{
	// 2026-11-29T20:38:45.123Z. It can be in brackets, and after a level or a name such as ts=.
	regexp.MustCompile(`^(?:<\d{1,3}>\d? ?)?(?:[A-Z]{4,8}[: ]+)?(?:ts=|time=|timestamp=)?["\[(]{0,2}(\d{4}[-/.]\d{2}[-/.]\d{2})[T ,]{1,2}(\d{2}:\d{2}(?::\d{2})?)`),
	// Nov 29 20:38:45, also [Sun Nov 29 20:38:45.123 2026]
	regexp.MustCompile(`^(?:<\d{1,3}>)?\[?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]?\d) (\d{2}:\d{2}:\d{2})(?:\.\d+)?(?: (\d{4})\])?`),
	// 192.0.2.1 - - [29/Nov/2026:20:38:45 +0000]
	regexp.MustCompile(`^\S+ \S+ \S+ \[(\d{2}/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{4}):(\d{2}:\d{2}:\d{2})`),
	// 29.11.2026 20:38:45
	regexp.MustCompile(`^\[?(\d{1,2}[./-]\d{1,2}[./-]\d{4})[ ,T]{1,2}(\d{2}:\d{2}(?::\d{2})?)`),
	// E1129 20:38:45.123456 of glog
	regexp.MustCompile(`^[IWEF](\d{4}) (\d{2}:\d{2}:\d{2})\.\d+ `),
}

// parse reads the first line of an entry.
func parse(line string) (entry, bool) {
	if strings.HasPrefix(line, "{") {
		return parseJSON(line)
	}
	for i, form := range times {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e := entry{day: normalDay(m[1], i), clock: m[2], text: line}
		if i == 1 && m[3] != "" {
			e.day += " " + m[3]
		}
		e.level = levelOf(line, len(m[0]))
		if i == 4 {
			e.level = map[byte]level{'W': warning, 'E': failure, 'F': failure}[line[0]]
		}
		return e, true
	}
	return entry{}, false
}

// normalDay writes a day in the form 2006-01-02 if its form is unambiguous.
func normalDay(day string, form int) string {
	switch form {
	case 0:
		return strings.NewReplacer("/", "-", ".", "-").Replace(day)
	case 2:
		if t, err := time.Parse("02/Jan/2006", day); err == nil {
			return t.Format(time.DateOnly)
		}
	case 4:
		return day[:2] + "-" + day[2:]
	}
	return strings.Join(strings.Fields(day), " ")
}

var (
	// named matches a level as programs write it: in capitals, in brackets, or after a name such as level=.
	named = regexp.MustCompile(`\b(?:(FATAL|CRITICAL|CRIT|EMERG|PANIC|SEVERE|ERROR|ERR|FAILURE)|(WARN|WARNING))\b|` +
		`(?:level=|lvl=|severity=|[\[<(:|])"?(?i:(?:[a-z_]+:)?(fatal|critical|crit|emerg|alert|panic|severe|error|err)|(warn|warning))["\]>) :|]`)
	// spoken matches a level at the beginning of a message, such as "error: ".
	spoken = regexp.MustCompile(`[\]:] (?i:(?:fatal|critical|error|panic)|(warning)): `)
	// answered matches the status of a request in the log of a web server.
	answered = regexp.MustCompile(`" (?:5\d\d|(4\d\d)) (?:\d+|-)`)
)

// levelHead is the number of bytes behind the time in which a level stands.
const levelHead = 160

// levelOf returns the level of a line whose time ends at an offset.
func levelOf(line string, at int) level {
	head := line[:min(len(line), at+levelHead)]
	if m := named.FindStringSubmatch(head); m != nil {
		if m[2] != "" || m[4] != "" {
			return warning
		}
		return failure
	}
	for _, form := range []*regexp.Regexp{spoken, answered} {
		if m := form.FindStringSubmatch(line); m != nil {
			if m[1] != "" {
				return warning
			}
			return failure
		}
	}
	return normal
}

// The names of members in logs in JSON.
var (
	timeNames    = []string{"time", "timestamp", "ts", "@timestamp", "date"}
	messageNames = []string{"msg", "message", "event", "log"}
	levelNames   = []string{"level", "severity", "lvl", "log.level", "levelname"}
)

// parseJSON reads an entry that is an object in JSON.
func parseJSON(line string) (entry, bool) {
	var o map[string]any
	if json.Unmarshal([]byte(line), &o) != nil {
		return entry{}, false
	}
	if e, ok := parseContainer(o); ok {
		return e, true
	}
	if e, ok := parseJournal(o); ok {
		return e, true
	}
	take := func(names []string) string {
		for _, name := range names {
			if v, ok := o[name]; ok {
				delete(o, name)
				return fmt.Sprint(v)
			}
		}
		return ""
	}
	_, hasLevel := o[levelNames[0]]
	for _, name := range levelNames[1:] {
		_, ok := o[name]
		hasLevel = hasLevel || ok
	}
	if !hasLevel {
		return entry{}, false
	}
	e, ok := parse(clean(take(timeNames)))
	message, name := clean(take(messageNames)), strings.ToUpper(clean(take(levelNames)))
	if !ok || message == "" {
		return entry{}, false
	}
	e.level = levelOf(" "+name+" ", 0)
	e.text += " " + name + " " + message
	trace := ""
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if value, ok := o[key].(string); ok && value != "" {
			e.text += " " + clean(key) + "=" + clean(value)
		} else if value, ok := o[key].(float64); ok {
			e.text += fmt.Sprintf(" %s=%v", clean(key), value)
		} else if lines, ok := o[key].([]any); ok { // such as a stack trace
			for _, line := range lines[:min(len(lines), maxFurther)] {
				if text, ok := line.(string); ok {
					trace += "\n  " + clean(text)
				}
			}
		}
	}
	e.text += trace
	return e, true
}

// parseContainer reads a line of a container in the form of Docker.
func parseContainer(o map[string]any) (entry, bool) {
	stream, _ := o["stream"].(string)
	line, isText := o["log"].(string)
	at, _ := o["time"].(string)
	if stream != "stdout" && stream != "stderr" || !isText {
		return entry{}, false
	}
	e, ok := parse(clean(at))
	if !ok {
		return entry{}, false
	}
	text := strings.TrimRight(escapes.ReplaceAllString(line, ""), " \t\r\n")
	if inner, ok := parse(timed(text, at)); ok { // the program writes the time, too
		return inner, true
	}
	if text != "" && isFurther(text) {
		return entry{day: e.day, clock: e.clock, text: text, further: true}, true
	}
	if e.level = levelOf(text, 0); e.level == normal {
		e.bare = text
	}
	e.text = e.day + " " + e.clock + " " + text
	return e, true
}

// timed returns a line that is an object in JSON with a time, and other lines as they are.
func timed(line, at string) string {
	var o map[string]any
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &o) != nil {
		return line
	}
	for _, name := range timeNames {
		if _, ok := o[name]; ok {
			return line
		}
	}
	o[timeNames[0]] = at
	if all, err := json.Marshal(o); err == nil {
		return string(all)
	}
	return line
}

// escapes matches the colors of terminals.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// priorities are the names of the levels of the system log, from the worst.
var priorities = []string{"EMERG", "ALERT", "CRIT", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG"}

// parseJournal reads an entry of the journal of systemd.
func parseJournal(o map[string]any) (entry, bool) {
	field := func(name string) string { text, _ := o[name].(string); return clean(text) }
	micros, err := strconv.ParseInt(field("__REALTIME_TIMESTAMP"), 10, 64)
	message := field("MESSAGE")
	if err != nil || message == "" {
		return entry{}, false
	}
	at := time.UnixMicro(micros).UTC()
	e := entry{day: at.Format(time.DateOnly), clock: at.Format(time.TimeOnly)}
	name := ""
	if n, err := strconv.Atoi(field("PRIORITY")); err == nil && n >= 0 && n < len(priorities) {
		name = priorities[n] + " "
		switch {
		case n <= 3:
			e.level = failure
		case n == 4:
			e.level = warning
		}
	}
	from := field("SYSLOG_IDENTIFIER")
	if from == "" {
		from = field("_COMM")
	}
	if pid := field("_PID"); pid != "" && from != "" {
		from += "[" + pid + "]"
	}
	if from != "" {
		from += ": "
	}
	host := field("_HOSTNAME")
	if host != "" {
		host += " "
	}
	e.text = e.day + " " + e.clock + " " + host + name + from + message
	return e, true
}

// clean returns a text on one line.
func clean(s string) string { return strings.Join(strings.Fields(s), " ") }

// shapeParts matches the parts of an entry that differ between similar ones: numbers, ids, and quoted names.
var shapeParts = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-fA-F-]*\d[0-9a-fA-F-]*\b|\d+`)

// shape returns the first line of an entry without the parts that differ between similar ones.
func (e *entry) shape() string {
	line, _, _ := strings.Cut(e.text, "\n")
	return shapeParts.ReplaceAllString(line[:min(len(line), 400)], "#")
}
