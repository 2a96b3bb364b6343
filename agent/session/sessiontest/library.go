package sessiontest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
	"docent/payload"
)

// listed returns the ids of the sessions that a filter selects.
func listed(t *testing.T, s Store, filter journal.SessionFilter) string {
	t.Helper()
	all, err := s.Sessions(t.Context(), filter)
	storetest.OK(t, err)
	ids := make([]string, len(all))
	for i, r := range all {
		ids[i] = r.Key.ID
	}
	return strings.Join(ids, " ")
}

// directoryPins lists pinned sessions first. Pinning does not count as use.
func directoryPins(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for i, id := range []string{"1", "2", "3", "4"} {
		_, _, err := s.OpenSession(ctx, journal.SessionRecord{
			Key: journal.SessionKey{Agent: "a", ID: id}, Platform: "P", Name: "n" + id, UpdatedAt: time.Unix(1700000000+int64(i), 0),
		})
		storetest.OK(t, err)
	}
	change := func(id string, c journal.SessionChange) journal.SessionRecord {
		key := journal.SessionKey{Agent: "a", ID: id}
		before, err := s.Session(ctx, key)
		storetest.OK(t, err)
		storetest.OK(t, s.Directory.ChangeSession(ctx, key, c))
		after, err := db.Open(t).Session(ctx, key)
		storetest.OK(t, err)
		storetest.Want(t, "time of use", after.UpdatedAt, before.UpdatedAt)
		return after
	}
	yes, no, name := true, false, "other"
	storetest.Want(t, "pinned", change("1", journal.SessionChange{Pinned: &yes}).Pinned, true)
	r := change("3", journal.SessionChange{Pinned: &yes, Name: &name})
	storetest.Want(t, "both", []any{r.Pinned, r.Name}, []any{true, "other"})
	storetest.Want(t, "order", listed(t, s, journal.SessionFilter{}), "3 1 4 2")
	storetest.Want(t, "limit", listed(t, s, journal.SessionFilter{Limit: 1}), "3")
	storetest.Want(t, "latest", listed(t, s, journal.SessionFilter{Latest: true, Limit: 1}), "4")
	r = change("1", journal.SessionChange{Name: &name})
	storetest.Want(t, "named only", []any{r.Pinned, r.Name}, []any{true, "other"})
	r = change("3", journal.SessionChange{Pinned: &no})
	storetest.Want(t, "unpinned", []any{r.Pinned, r.Name}, []any{false, "other"})
	r = change("3", journal.SessionChange{})
	storetest.Want(t, "nothing", []any{r.Pinned, r.Name}, []any{false, "other"})
	storetest.Want(t, "order", listed(t, s, journal.SessionFilter{}), "1 4 3 2")
	reset(t, s, open(t, s, "1").RowID)
	storetest.Want(t, "after a reset", open(t, s, "1").Pinned, true)
}

// wantFound checks the messages that searches return.
func wantFound(t *testing.T, s Store) {
	t.Helper()
	for _, c := range []struct{ match, found string }{
		{"über", ""}, // a name
		{"ÖLPUMPE", "true 1 Where is the ÖLPUMPE? 100_"},
		{"schwer", "true 1 Wie schwer ist Ελλάδα?"},
		{"7\u00a0kg", "false 1 The gear weighs 7 kg [1]."},
		{`"Quoted"`, `false 1 **Вес** is *heavy* "quoted"`},
		{"ölstand", "false 2 … " + strings.Repeat("Grüße ", 9) + "vom *Ölstand* " + strings.Repeat("hier und ", 18) + "hier …"},
	} {
		all, err := s.Sessions(t.Context(), journal.SessionFilter{Match: c.match})
		storetest.OK(t, err)
		got := ""
		if f := all[0].Found; f != nil {
			got = fmt.Sprintf("%t %d %s", f.IsUser, f.Turn, f.Text)
		}
		storetest.Want(t, fmt.Sprintf("found %q", c.match), got, c.found)
	}
}

// directoryMatch finds sessions by their names and messages.
func directoryMatch(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	rows := map[string]int64{}
	for i, id := range []string{"name", "text", "object", "answer", "markdown", "other"} {
		record := journal.SessionRecord{
			Key: journal.SessionKey{Agent: "a", ID: id}, Platform: "P", Owner: "o",
			UpdatedAt: time.Unix(1700000000-int64(i), 0),
		}
		if id == "name" {
			record.Name = `Über 100% \_o/`
		}
		r, _, err := s.OpenSession(ctx, record)
		storetest.OK(t, err)
		rows[id] = r.RowID
	}
	entry := func(kind, content string) journal.Entry {
		return journal.Entry{Message: &agent.ChatMessage{Type: kind, Content: json.RawMessage(content)}}
	}
	say(t, s, rows["text"], "", `Where is the ÖLPUMPE? 100_`)
	in := message(rows["object"], "", "")
	in.Type, in.Content = payload.TypeJSON, json.RawMessage(`{"message":"Wie schwer ist Ελλάδα?","collections":["manuals"],"k":7}`)
	in.Event.Name, in.Event.Data = agent.EventMessage, nil
	_, err := s.Receive(ctx, in)
	storetest.OK(t, err)
	e := say(t, s, rows["answer"], "", "hm").Event
	commit(t, s, begun(rows["answer"], e, entry(payload.TypeRAG, `{"answer":"The gear weighs 7\u00a0kg [1].","docs":[{"content":"secret passage","title":"T"}],"llm_name":"m"}`)))
	e = say(t, s, rows["markdown"], "", "hm").Event
	commit(t, s, begun(rows["markdown"], e, entry(payload.TypeMarkdown, `"**Вес** is *heavy* \"quoted\""`),
		entry(payload.TypeHTML, `"<b>tag</b>"`), thought("a thought", 0)))
	e = say(t, s, rows["other"], "", "hm").Event
	commit(t, s, begun(rows["other"], e, entry(payload.TypeDataFrame, `{"columns":["weights"]}`)))
	for _, c := range []struct{ match, found string }{
		{"", "name text object answer markdown other"},
		{"über", "name"},
		{"ÜBER 100%", "name"},
		{"ölpumpe", "text"},
		{"100", "name text"},
		{"100%", "name"},
		{"100_", "text"},
		{`\_o`, "name"},
		{`\`, "name"},
		{"%", "name"},
		{"ελλάδα", "object"},
		{"ΕΛΛΆΔΑ", "object"},
		{"manuals", ""},
		{"collections", ""},
		{"message", ""},
		{"gear weighs", "answer"},
		{"7\u00a0KG", "answer"},
		{"secret", ""},
		{"llm_name", ""},
		{"вес", "markdown"},
		{`"quoted"`, "markdown"},
		{"tag", ""},
		{"thought", ""},
		{"weights", ""},
		{"HM", "answer markdown other"},
		{"'; DROP TABLE said; --", ""},
		{"a\x00b", ""},
	} {
		storetest.Want(t, fmt.Sprintf("match %q", c.match),
			listed(t, s, journal.SessionFilter{Match: c.match, Latest: true}), inOrder(t, s, c.found))
	}
	all, err := s.Sessions(ctx, journal.SessionFilter{Match: "ελλάδα"})
	storetest.OK(t, err)
	storetest.Want(t, "first said, in an object", all[0].First, "Wie schwer ist Ελλάδα?")
	storetest.Want(t, "of nobody", listed(t, s, journal.SessionFilter{Match: "hm", Owner: "p"}), "")
	storetest.Want(t, "limited", len(strings.Fields(listed(t, s, journal.SessionFilter{Match: "hm", Limit: 2}))), 2)

	e = say(t, s, rows["other"], "", "hm").Event
	long := strings.Repeat("Grüße ", 50) + "vom *Ölstand* " + strings.Repeat("hier und ", 50)
	commit(t, s, begun(rows["other"], e, entry(payload.TypeMarkdown, string(chat.JSONString(long)))))
	wantFound(t, s)

	revise(t, s, rows["text"], "", "Where is the valve?", 1)
	storetest.Want(t, "replaced", listed(t, s, journal.SessionFilter{Match: "ölpumpe"}), "")
	storetest.Want(t, "instead", listed(t, s, journal.SessionFilter{Match: "VALVE"}), "text")
	name := "Другое"
	storetest.OK(t,
		s.Directory.ChangeSession(ctx, journal.SessionKey{Agent: "a", ID: "name"}, journal.SessionChange{Name: &name}))
	storetest.Want(t, "renamed",
		[]string{listed(t, s, journal.SessionFilter{Match: "über"}), listed(t, s, journal.SessionFilter{Match: "другое"})},
		[]string{"", "name"})
	reset(t, s, rows["answer"])
	storetest.Want(t, "reset", listed(t, s, journal.SessionFilter{Match: "gear"}), "")
	storetest.OK(t, s.Directory.DeleteSession(ctx, journal.SessionKey{Agent: "a", ID: "markdown"}))
	// Session "text" has the old text and the new one. Sessions "object" and "other" have one and three.
	storetest.Want(t, "kept to search in", db.Count(t, "said"), 6)
}

// inOrder returns named sessions in the order of a list.
func inOrder(t *testing.T, s Store, names string) string {
	t.Helper()
	var out []string
	for id := range strings.FieldsSeq(listed(t, s, journal.SessionFilter{Latest: true})) {
		if strings.Contains(" "+names+" ", " "+id+" ") {
			out = append(out, id)
		}
	}
	return strings.Join(out, " ")
}

// directoryOthers lists the sessions of others page by page, without pins.
func directoryOthers(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	at := func(second int) time.Time { return time.Unix(1700000000+int64(second), 0) }
	yes := true
	for i, r := range []struct{ id, owner string }{{"1", "ann"}, {"2", "bob"}, {"3", ""}, {"4", "bob"}, {"5", "eve"}} {
		key := journal.SessionKey{Agent: "a", ID: r.id}
		record := journal.SessionRecord{Key: key, Owner: r.owner, Platform: "P", UpdatedAt: at(i / 2)} // two at a time
		_, _, err := s.OpenSession(ctx, record)
		storetest.OK(t, err)
	}
	storetest.OK(t, s.Directory.ChangeSession(ctx, journal.SessionKey{Agent: "a", ID: "1"}, journal.SessionChange{Pinned: &yes}))
	storetest.Want(t, "others", listed(t, s, journal.SessionFilter{Except: "bob", Latest: true}), "5 3 1")
	storetest.Want(t, "since", listed(t, s, journal.SessionFilter{Since: at(1), Latest: true}), "5 4 3")
	storetest.Want(t, "until", listed(t, s, journal.SessionFilter{Until: at(1), Latest: true}), "2 1")
	filter, pages := journal.SessionFilter{Latest: true, Limit: 2}, []string{}
	for {
		page, err := s.Sessions(ctx, filter)
		storetest.OK(t, err)
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			pages = append(pages, r.Key.ID)
			filter.Past = &r
		}
	}
	storetest.Want(t, "pages", strings.Join(pages, " "), "5 4 3 2 1")
}
