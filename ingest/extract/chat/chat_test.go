package chat_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"docent/ingest/extract/chat"
	"docent/ingest/extract/extracttest"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// sample is an export with its title and its blocks.
type sample struct{ file, text, title, want string }

// verify reads exports.
func verify(t *testing.T, samples map[string]sample) {
	t.Helper()
	for name, tt := range samples {
		f := &format.File{Name: tt.file, Data: []byte(tt.text)}
		if m := chat.Format.Match(t.Context(), f); m.Score != format.Named {
			t.Errorf("%s has the score %v", name, m.Score)
			continue
		}
		doc, err := chat.Format.Read(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		extracttest.Verify(t, doc)
		if got := extracttest.Show(doc); got != tt.want || doc.Title != tt.title {
			t.Errorf("%s has the title %q and\n%s\nwant\n%s", name, doc.Title, got, tt.want)
		}
	}
}

var exports = map[string]sample{
	"Slack": {
		"x.zip#ops/2026-10-05.json", `[{"type":"message","user":"U01","user_profile":{"real_name":"Vera Quist"},"text":"The alarm went off, <https://example.org/a|see here>.","ts":"1791187200.000100","thread_ts":"1791187200.000100"},` +
			`{"type":"message","user":"U03","text":"Lunch?","ts":"1791187300.000100"},{"type":"message","user":"bo","text":"Fixed with vinegar &amp; water.","ts":"1791190800.000200","thread_ts":"1791187200.000100"}]`,
		"#ops, 2026-10-05", "h1 Monday, 5 October 2026\np Vera Quist (08:00): The alarm went off, see here (https://example.org/a).\np bo (09:00): Fixed with vinegar & water.\np U03 (08:01): Lunch?\n",
	},
	"Discord": {
		"a.json", `{"guild":{"name":"Quay"},"channel":{"name":"ops"},"messages":[{"type":"Default","timestamp":"2026-10-05T08:00:00+00:00","content":"It leaks.","author":{"name":"vera","nickname":"Vera"}},` +
			`{"type":"Default","timestamp":"2026-10-05T12:00:00+00:00","content":"Fixed.","author":{"name":"bo"}}]}`,
		"ops", "h1 Monday, 5 October 2026\np Vera (08:00): It leaks.\nh2 12:00\np bo (12:00): Fixed.\n",
	},
	"Telegram": {
		"result.json", `{"name":"Crew","type":"private_group","id":1,"messages":[{"id":1,"type":"service","date":"2026-10-05T08:00:00","action":"create"},` +
			`{"id":2,"type":"message","date":"2026-10-05T08:01:00","from":"Vera","from_id":"user1","text":["The code is ",{"type":"bold","text":"4711"},"."]}]}`,
		"Crew", "h1 Monday, 5 October 2026\np Vera (08:01): The code is 4711.\n",
	},
	"Teams": {
		"a.json", `{"value":[{"createdDateTime":"2026-10-05T08:00:00Z","from":{"user":{"displayName":"Vera"}},"body":{"contentType":"html","content":"<p>It <b>leaks</b>.</p>"}}]}`,
		"a.json", "h1 Monday, 5 October 2026\np Vera (08:00): It leaks.\n",
	},
	"assistant": {
		"conversations.json", `[{"title":"Oil","create_time":1,"mapping":{"b":{"message":{"author":{"role":"assistant"},"create_time":1791187260,"content":{"content_type":"text","parts":["Number 40."]}}},` +
			`"a":{"message":{"author":{"role":"user"},"create_time":1791187200,"content":{"content_type":"text","parts":["Which oil?"]}}},"r":{"message":null}}}]`,
		"Oil", "h1 Monday, 5 October 2026\np user (08:00): Which oil?\np assistant (08:01): Number 40.\n",
	},
	"other assistant": {
		"c.json", `[{"name":"Oil","chat_messages":[{"sender":"human","text":"Which oil?","created_at":"2026-10-05T08:00:00Z"}]}]`,
		"Oil", "h1 Monday, 5 October 2026\np human (08:00): Which oil?\n",
	},
	"Mattermost": {
		"bulk.jsonl", "{\"type\":\"version\",\"version\":1}\n{\"type\":\"post\",\"post\":{\"team\":\"t\",\"channel\":\"ops\",\"user\":\"vera\",\"message\":\"It leaks.\",\"create_at\":1791187200000}}\n",
		"#ops", "h1 Monday, 5 October 2026\np vera (08:00): It leaks.\n",
	},
	"names of Mattermost": {
		"bulk.jsonl", "{\"type\":\"user\",\"user\":{\"username\":\"bo\",\"first_name\":\"Bo\",\"last_name\":\"Lund\"}}\n{\"type\":\"post\",\"post\":{\"team\":\"t\",\"channel\":\"ops\",\"user\":\"bo\",\"message\":\"Fixed.\",\"create_at\":1791187200000}}\n",
		"#ops", "h1 Monday, 5 October 2026\np Bo Lund (08:00): Fixed.\n",
	},
	"Facebook": {
		"message_1.json", `{"participants":[{"name":"Bo"}],"messages":[{"sender_name":"Bj\u00c3\u00b6rn","timestamp_ms":1791187260000,"content":"Caf\u00c3\u00a9 at nine?"},{"sender_name":"Vera","timestamp_ms":1791187200000,"content":"It leaks."}],"title":"Ops"}`,
		"Ops", "h1 Monday, 5 October 2026\np Vera (08:00): It leaks.\np Björn (08:01): Café at nine?\n",
	},
	"Matrix": {
		"export.json", `{"room_name":"Ops","messages":[{"type":"m.room.message","sender":"@vera:example.org","content":{"msgtype":"m.text","body":"It leaks."},"origin_server_ts":1791187200000}]}`,
		"Ops", "h1 Monday, 5 October 2026\np vera (08:00): It leaks.\n",
	},
	"Google Chat": {
		"messages.json", `{"messages":[{"creator":{"name":"Vera Quist","user_type":"Human"},"created_date":"Monday, October 5, 2026 at 8:00:00\u202fAM UTC","text":"It leaks.","topic_id":"x"}]}`,
		"messages.json", "h1 Monday, 5 October 2026\np Vera Quist (08:00): It leaks.\n",
	},
	"Rocket.Chat": {
		"general.json", `[{"_id":"a","rid":"GENERAL","msg":"It leaks.","ts":"2026-10-05T08:00:00.000Z","u":{"username":"vera","name":"Vera Quist"}}]`,
		"general.json", "h1 Monday, 5 October 2026\np Vera Quist (08:00): It leaks.\n",
	},
	"Zulip": {
		"messages.json", `{"messages":[{"sender_full_name":"Vera Quist","stream_id":3,"content":"<p>It <b>leaks</b>.</p>","timestamp":1791187200}]}`,
		"messages.json", "h1 Monday, 5 October 2026\np Vera Quist (08:00): It leaks.\n",
	},
	"WhatsApp": {
		"WhatsApp Chat with Crew.txt", "05/10/2026, 08:15 - Messages and calls are end-to-end encrypted.\n05/10/2026, 08:16 - Vera Quist: The old code is gone.\nThe new code is 4711.\n06/10/2026, 9:02 am - Bo: Thanks: noted\n",
		"WhatsApp Chat with Crew", "h1 Monday, 5 October 2026\np Vera Quist (08:16): The old code is gone.\\nThe new code is 4711.\nh1 Tuesday, 6 October 2026\np Bo (09:02): Thanks: noted\n",
	},
	"WhatsApp of a telephone": {
		"_chat.txt", "[05.10.26, 08:15:01] Crew: \u200eYou created this group\n[05.10.26, 08:16:12] Vera: Hello\n",
		"_chat", "h1 Monday, 5 October 2026\np Vera (08:16): Hello\n",
	},
}

func TestExports(t *testing.T) {
	t.Parallel()
	verify(t, exports)
	for _, text := range []string{`{"messages":"none"}`, "05/10/2026 a list\nof dates: no chat\n", `[{"ts":1}]`} {
		if m := chat.Format.Match(t.Context(), &format.File{Name: "a.txt", Data: []byte(text)}); m.Score != format.No {
			t.Errorf("%s is a conversation", text)
		}
	}
}

func TestWorkspace(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range map[string]string{"Quay export/users.json": `[{"id":"U01","name":"vera","profile":{"real_name":"Vera Quist"}}]`, "Quay export/channels.json": `[]`} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w, ok := chat.OpenWorkspace(b.Bytes())
	if !ok || !w.Leaves("Quay export/users.json") || w.Leaves("Quay export/ops/2026-10-05.json") {
		t.Fatal("no workspace")
	}
	got := w.Named("Quay export/ops/2026-10-05.json", []byte(`[{"user":"U01","text":"<@U01> and <@U02>"}]`))
	if string(got) != `[{"text":"\u003c@Vera Quist\u003e and \u003c@U02\u003e","user":"U01","user_profile":{"real_name":"Vera Quist"}}]` && !bytes.Contains(got, []byte("@Vera Quist and")) {
		t.Errorf("got %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, samples := range []map[string]sample{exports, printed, pages, assistants} {
		for _, s := range samples {
			f.Add(s.file, s.text)
		}
	}
	f.Add("a.json", `[{"user":"U01","text":"a <@U02|b>","ts":"1791187200.1"}]`)
	f.Add("a.txt", "05/10/2026, 08:15 - Vera: a\n05/10/2026, 08:16 - Bo: b\n")
	f.Add("a.json", `[{"title":"a","mapping":{"b":{"message":{"author":{"role":"user"},"content":{"parts":["x",{"text":"y"}]}}}}}]`)
	f.Fuzz(func(t *testing.T, name, text string) {
		if doc, err := chat.Format.Read(t.Context(), &format.File{Name: outline.Clean(name), Data: []byte(text)}); err == nil {
			extracttest.Verify(t, doc)
		}
	})
}

// TestNotWhatsApp has texts whose lines begin with a date and a time, too.
func TestNotWhatsApp(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"history of changes": "2022-06-13 13:28:22 +0300 Mara Sample (9b53102964)\n\n    NEWS: Add news\n\n2022-06-13 09:56:13 +0300 Bo Sample (a04e1b9abf)\n\n    Fix: the memory\n",
		"list of times":      "09:16\tOpen the gate\tby hand\n09:20\tClose the gate\tby hand\n",
		"table of contents":  "Chapter One   1:03\nText of it.\n\nChapter Two   1:10\nText of it.\n\nChapter Three   1:20\nMore text.\n",
		"log of Laravel":     "[2026-11-29 20:38:45] local.ERROR: no crane\n[2026-11-29 20:38:46] local.INFO: done: all\n",
		"log of Python":      "2026-11-29 20:38:45 - root - INFO - start: now\n2026-11-29 20:38:46 - root - ERROR - no crane: north\n",
	} {
		if m := chat.Format.Match(t.Context(), &format.File{Name: "a.txt", Data: []byte(text)}); m.Score != format.No {
			t.Errorf("the %s is read as a conversation", name)
		}
	}
}
