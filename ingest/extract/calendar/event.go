package calendar

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/ingest/outline"
	"docent/rag/corpus"
)

// maxEvents bounds the entries of a calendar, and maxPeople the people of one.
const (
	maxEvents = 50_000
	maxPeople = 200
)

// entry is an event, task, or note of a calendar.
type entry struct {
	kind                            string
	title, place, text, status, url string
	start, end                      moment
	due                             moment
	duration                        string
	organizer                       string
	people                          []string
	rule                            string
	dates, without                  []string // further and omitted dates
	id                              string
	instead                         moment   // the occurrence that this entry replaces
	moved                           []string // occurrences that other entries replace
	categories                      string
}

// moment is a date with or without a time.
type moment struct {
	time  time.Time
	day   bool   // without a time
	zone  string // "" for the time at the place
	known bool
}

// Read reads a calendar. Each event becomes a section: when, where, who, how often, and the
// description.
func Read(ctx context.Context, _, text string) (*outline.Document, error) {
	b := outline.NewBuilder(len(text))
	var name, method string
	var open *entry
	var all []*entry
	inside, n := 0, 0 // inside counts the open alarms and other parts of an event
	properties(text, func(p property) {
		if ctx.Err() != nil || n > maxEvents {
			return
		}
		switch value := strings.ToUpper(strings.TrimSpace(p.value)); {
		case p.name == "BEGIN" && (value == "VEVENT" || value == "VTODO" || value == "VJOURNAL") && open == nil:
			open, inside = &entry{kind: value}, 0
		case p.name == "BEGIN":
			inside++
		case p.name == "END" && open != nil && value == open.kind:
			all = append(all, open)
			open = nil
			n++
		case p.name == "END":
			inside = max(inside-1, 0)
		case open != nil && inside == 0:
			open.set(p)
		case p.name == "X-WR-CALNAME":
			name = p.text()
		case p.name == "METHOD":
			method = value
		}
	})
	if open != nil {
		all = append(all, open)
	}
	for _, e := range replaced(all, method) {
		e.add(b, method)
	}
	doc := b.Document(name)
	if doc.Title == "" && n == 1 && len(doc.Blocks) > 0 {
		doc.Title = doc.HeadingName(doc.Blocks[0])
	}
	if n == 1 {
		doc.SetDate(all[0].start.time, corpus.Properties)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read a calendar: %w", err)
	}
	return doc, nil
}

// replaced tells recurring entries which of their occurrences others replace. It returns the entries without
// the canceled occurrences, which their series tells.
func replaced(all []*entry, method string) []*entry {
	series := map[string]*entry{}
	for _, e := range all {
		if e.id != "" && !e.instead.known {
			series[e.id] = e
		}
	}
	var out []*entry
	for _, e := range all {
		s := series[e.id]
		if s == nil || !e.instead.known {
			out = append(out, e)
			continue
		}
		canceled := e.status == "CANCELLED" || method == "CANCEL"
		if len(s.moved)+len(s.without) < maxPeople {
			switch {
			case canceled:
				s.without = append(s.without, e.instead.date())
				continue
			case e.start.known && !e.start.time.Equal(e.instead.time):
				s.moved = append(s.moved, e.when()+" instead of "+e.instead.date()+e.instead.atTime())
			}
		}
		out = append(out, e)
	}
	return out
}

// set applies a property of an entry.
func (e *entry) set(p property) {
	switch p.name {
	case "SUMMARY":
		e.title = strings.Join(strings.Fields(p.text()), " ")
	case "LOCATION":
		e.place = strings.Join(strings.Fields(p.text()), " ")
	case "DESCRIPTION":
		e.text = p.text()
	case "STATUS":
		e.status = strings.ToUpper(p.text())
	case "URL":
		e.url = p.text()
	case "CATEGORIES":
		e.categories = p.text()
	case "DTSTART":
		e.start = momentOf(p)
	case "DTEND":
		e.end = momentOf(p)
	case "DUE":
		e.due = momentOf(p)
	case "DURATION":
		e.duration = p.text()
	case "ORGANIZER":
		e.organizer = person(p)
	case "ATTENDEE":
		if who := person(p); who != "" && len(e.people) < maxPeople && !slices.Contains(e.people, who) {
			e.people = append(e.people, who)
		}
	case "UID":
		e.id = strings.TrimSpace(p.value)
	case "RECURRENCE-ID":
		e.instead = momentOf(p)
	case "RRULE":
		e.rule = p.value
	case "RDATE":
		e.dates = appendDates(e.dates, p)
	case "EXDATE":
		e.without = appendDates(e.without, p)
	}
}

// appendDates appends the dates of a list.
func appendDates(dates []string, p property) []string {
	for value := range strings.SplitSeq(p.value, ",") {
		p.value = value
		if m := momentOf(p); m.known && len(dates) < maxPeople {
			dates = append(dates, m.date())
		}
	}
	return dates
}

// momentOf reads a date and time.
func momentOf(p property) moment {
	value := strings.TrimSpace(p.value)
	m := moment{zone: p.params["TZID"]}
	if rest, ok := strings.CutSuffix(value, "Z"); ok {
		value, m.zone = rest, "UTC"
	}
	for _, layout := range []string{"20060102T150405", "20060102T1504", "20060102"} {
		if t, err := time.Parse(layout, value); err == nil {
			m.time, m.known, m.day = t, true, layout == "20060102"
			return m
		}
	}
	return m
}

func (m moment) date() string { return m.time.Format("Monday, 2 January 2006") }

func (m moment) clock() string { return m.time.Format("15:04") }

// person returns the name and the address of a participant.
func person(p property) string {
	address := p.text()
	if rest, ok := strings.CutPrefix(strings.ToLower(address), "mailto:"); ok {
		address = address[len(address)-len(rest):]
	}
	name := unescape(p.params["CN"])
	out := address
	switch {
	case name != "" && !strings.EqualFold(name, address):
		out = name + " <" + address + ">"
		if !strings.Contains(address, "@") {
			out = name
		}
	case !strings.Contains(address, "@"):
		return name
	}
	switch strings.ToUpper(p.params["PARTSTAT"]) {
	case "ACCEPTED":
		out += " (accepted)"
	case "DECLINED":
		out += " (declined)"
	case "TENTATIVE":
		out += " (tentative)"
	}
	return out
}

// add adds an entry to a document.
func (e *entry) add(b *outline.Builder, method string) {
	title := e.title
	if title == "" {
		title = map[string]string{"VTODO": "Task", "VJOURNAL": "Note"}[e.kind]
	}
	if title == "" {
		title = "Event"
	}
	canceled := e.status == "CANCELLED" || method == "CANCEL"
	if canceled {
		b.Add(outline.Heading, 1, "\n\n", title+" (canceled)")
	} else {
		b.Add(outline.Heading, 1, "\n\n", title)
	}
	var lines []string
	line := func(label, value string) {
		if value != "" {
			lines = append(lines, label+": "+value)
		}
	}
	if canceled {
		line("Status", "canceled")
	}
	if status := map[string]string{"TENTATIVE": "tentative", "COMPLETED": "completed", "IN-PROCESS": "in progress"}[e.status]; status != "" {
		line("Status", status)
	}
	line("When", e.when())
	if e.due.known {
		line("Due", e.due.date()+e.due.atTime())
	}
	if e.instead.known {
		line("Instead of", e.instead.date()+e.instead.atTime())
	}
	line("Repeats", e.repeats())
	line("Moved", strings.Join(e.moved, "; "))
	line("Where", e.place)
	line("Organizer", e.organizer)
	line("Participants", strings.Join(e.people, ", "))
	line("Categories", e.categories)
	line("Address", e.url)
	b.Add(outline.Paragraph, 0, "\n\n", strings.Join(lines, "\n"))
	b.AddParagraphs(e.text)
}

// atTime returns the time of a moment as the end of a sentence.
func (m moment) atTime() string {
	if m.day {
		return ""
	}
	if m.zone == "" {
		return ", " + m.clock()
	}
	return ", " + m.clock() + " (" + m.zone + ")"
}

// when returns the time of an entry.
func (e *entry) when() string {
	s, end := e.start, e.end
	if !s.known {
		return ""
	}
	if d, ok := parseDuration(e.duration); ok && !end.known {
		end = moment{time: s.time.Add(d), day: s.day, zone: s.zone, known: true}
	}
	if s.day {
		last := end.time.AddDate(0, 0, -1) // the end of whole days is the day after
		if !end.known || !last.After(s.time) {
			return s.date() + ", all day"
		}
		return s.date() + " – " + moment{time: last}.date()
	}
	zone := ""
	if s.zone != "" {
		zone = " (" + s.zone + ")"
	}
	switch {
	case !end.known || end.time.Equal(s.time):
		return s.date() + ", " + s.clock() + zone
	case end.time.Format(time.DateOnly) == s.time.Format(time.DateOnly) && end.zone == s.zone:
		return s.date() + ", " + s.clock() + " – " + end.clock() + zone
	}
	return s.date() + s.atTime() + " – " + end.date() + end.atTime()
}

// parseDuration reads a duration such as P1DT2H30M.
func parseDuration(s string) (time.Duration, bool) {
	rest, ok := strings.CutPrefix(strings.ToUpper(s), "P")
	if !ok {
		return 0, false
	}
	var d time.Duration
	digits := ""
	for _, r := range rest {
		switch {
		case r >= '0' && r <= '9':
			digits += string(r)
		case r == 'T':
		default:
			n, err := strconv.Atoi(digits)
			unit := map[rune]time.Duration{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour, 'H': time.Hour, 'M': time.Minute, 'S': time.Second}[r]
			if err != nil || unit == 0 || n > 100_000 {
				return 0, false
			}
			d += time.Duration(n) * unit
			digits = ""
		}
	}
	return d, true
}

// repeats returns the recurrence of an entry as text.
func (e *entry) repeats() string {
	var out string
	if e.rule != "" {
		out = ruleText(e.rule)
	}
	if len(e.dates) > 0 {
		out = strings.TrimPrefix(out+"; also on "+strings.Join(e.dates, "; "), "; ")
	}
	if len(e.without) > 0 && out != "" {
		out += "; not on " + strings.Join(e.without, "; ")
	}
	return out
}

// The words of recurrence rules.
var (
	ruleUnits = map[string]string{
		"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day",
		"WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year",
	}
	ruleDays = map[string]string{
		"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday",
		"FR": "Friday", "SA": "Saturday", "SU": "Sunday",
	}
	ruleOrder = map[string]string{
		"1": "first ", "2": "second ", "3": "third ", "4": "fourth ",
		"5": "fifth ", "-1": "last ", "-2": "second to last ",
	}
)

// ruleText returns a recurrence rule as text, such as "every 2 weeks on Tuesday until 1 May 2027".
func ruleText(rule string) string {
	parts := map[string]string{}
	for part := range strings.SplitSeq(strings.ToUpper(rule), ";") {
		name, value, _ := strings.Cut(part, "=")
		parts[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	unit := ruleUnits[parts["FREQ"]]
	if unit == "" {
		return ""
	}
	out := "every " + unit
	if n, err := strconv.Atoi(parts["INTERVAL"]); err == nil && n > 1 {
		out = fmt.Sprintf("every %d %ss", n, unit)
	}
	var days []string
	for day := range strings.SplitSeq(parts["BYDAY"], ",") {
		if len(day) < 2 || len(days) > 20 {
			continue
		}
		if name := ruleDays[day[len(day)-2:]]; name != "" {
			order := ruleOrder[strings.TrimPrefix(day[:len(day)-2], "+")]
			if order == "" {
				order = ruleOrder[parts["BYSETPOS"]]
			}
			if order != "" {
				order = "the " + order
			}
			days = append(days, order+name)
		}
	}
	if len(days) > 0 {
		out += " on " + strings.Join(days, ", ")
	}
	if days := parts["BYMONTHDAY"]; days != "" {
		out += " on day " + strings.ReplaceAll(days, ",", ", ")
	}
	if m, err := strconv.Atoi(parts["BYMONTH"]); err == nil && m >= 1 && m <= 12 {
		out += " in " + time.Month(m).String()
	}
	if n, err := strconv.Atoi(parts["COUNT"]); err == nil {
		out += fmt.Sprintf(", %d times", n)
	}
	if until := momentOf(property{value: parts["UNTIL"]}); until.known {
		out += " until " + until.time.Format("2 January 2006")
	}
	return out
}
