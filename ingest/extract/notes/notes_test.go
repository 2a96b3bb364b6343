package notes

import (
	"context"
	"testing"
	"time"

	"docent/ingest/extract/extracttest"
	"docent/ingest/format"
	"docent/ingest/outline"
)

const (
	keep = `{"isTrashed": false, "isPinned": true, "isArchived": false, "textContent": "The code is 4711.\n# 2 pumps", "title": "Boiler", "userEditedTimestampUsec": 1777888800000000,
"listContent": [{"text": "Milk", "isChecked": false}, {"text": "Seal", "isChecked": true}], "labels": [{"name": "House"}], "annotations": [{"title": "Seals", "url": "https://seals.example/"}]}`
	trello = `{"name": "Boiler room", "desc": "All work.", "closed": false, "dateLastActivity": "2026-05-04T10:00:00.000Z",
"lists": [{"id": "l2", "name": "Done", "pos": 2}, {"id": "l1", "name": "To do", "pos": 1}, {"id": "l3", "name": "Old", "closed": true, "pos": 3}],
"cards": [{"id": "c1", "idList": "l1", "name": "Replace the seal", "desc": "It **leaks**.", "due": "2026-06-01T12:00:00.000Z", "labels": [{"name": "Urgent"}, {"name": ""}], "idMembers": ["m1", "gone"], "pos": 1,
"attachments": [{"name": "photo.jpg", "url": "https://trello.example/photo.jpg"}]}, {"id": "c2", "idList": "l2", "name": "Order oil", "due": null, "pos": 1}, {"id": "c3", "idList": "l1", "name": "Archived", "closed": true}],
"members": [{"id": "m1", "fullName": "Ada"}], "checklists": [{"idCard": "c1", "name": "Steps", "checkItems": [{"name": "Pull", "state": "incomplete", "pos": 2}, {"name": "Drain", "state": "complete", "pos": 1}]}],
"actions": [{"type": "commentCard", "date": "2026-05-03T09:00:00.000Z", "data": {"text": "It arrives on Friday.", "card": {"id": "c1"}}, "memberCreator": {"fullName": "Ada"}}, {"type": "updateCard", "data": {"card": {"id": "c1"}}}]}`
	canvas = `{"nodes": [{"id": "2", "type": "text", "x": 300, "y": 5, "width": 200, "height": 60, "text": "Prime the pump"},
{"id": "1", "type": "text", "x": 0, "y": 0, "width": 200, "height": 60, "text": "# Open the valve\nTurn it left."}, {"id": "g", "type": "group", "x": -50, "y": -50, "width": 800, "height": 200, "label": "Cellar"},
{"id": "3", "type": "file", "x": 0, "y": 300, "width": 10, "height": 10, "file": "Pump.md", "subpath": "#Seal"}, {"id": "4", "type": "link", "x": 0, "y": 400, "width": 10, "height": 10, "url": "https://pump.example"}],
"edges": [{"fromNode": "1", "toNode": "2", "label": "then"}, {"fromNode": "2", "toNode": "9"}]}`
)

func readFile(ctx context.Context, name string, data []byte) (*outline.Document, error) {
	return read(ctx, &format.File{Name: name, Data: data})
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, title, want string }{
		{"Boiler.json", keep, "Boiler", "h1 # Boiler\np The code is 4711.  \\n**2 pumps**\nli - ☐ Milk\nli - ☑ Seal\np Links:\nli - Seals <https://seals.example/>\n"},
		{
			"board.json", trello, "Boiler room", "h1 # Boiler room\np All work.\nh2 ## To do\nh3 ### Replace the seal\nli - List: To do\nli - Due: 2026-06-01\nli - Labels: Urgent\n" +
				"li - Members: Ada\np It **leaks**.\np Steps:\nli - ☑ Drain\nli - ☐ Pull\np Attachments:\nli - photo.jpg <https://trello.example/photo.jpg>\n" +
				"p **Ada, 2026-05-03:** It arrives on Friday.\nh2 ## Done\nh3 ### Order oil\nli - List: Done\n",
		},
		{
			"plan.canvas", canvas, "plan.canvas", "p File: Pump.md#Seal\np <https://pump.example>\nh1 # Cellar\np **Open the valve**  \\nTurn it left.\np Prime the pump\n" +
				"h1 # Connections\nli - Open the valve → Prime the pump: then\n",
		},
		{"trash.json", `{"isTrashed": true, "isArchived": false, "textContent": "x", "userEditedTimestampUsec": 1}`, "trash.json", ""},
	} {
		if Format.Match(t.Context(), &format.File{Name: c.name, Data: []byte(c.text)}).Score != format.Named {
			t.Errorf("%s is not recognized", c.name)
		}
		doc, err := readFile(t.Context(), c.name, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := extracttest.Show(doc); got != c.want || doc.Title != c.title {
			t.Errorf("%s: title %q\n%s", c.name, doc.Title, got)
		}
	}
	doc, err := readFile(t.Context(), "a.json", []byte(keep))
	if err != nil || len(doc.Tags) != 1 || doc.Tags[0] != "house" || !doc.Date.Equal(time.UnixMicro(1777888800000000)) {
		t.Errorf("tags %q, date %v, %v", doc.Tags, doc.Date, err)
	}
	if Format.Match(t.Context(), &format.File{Name: "graph.json", Data: []byte(canvas)}).Score > 0 {
		t.Error("any graph counts as a canvas")
	}
}

func FuzzNotes(f *testing.F) {
	for _, s := range []string{keep, trello, canvas} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, isCanvas bool) {
		name := "a.json"
		if isCanvas {
			name = "a.canvas"
		}
		extracttest.FuzzRead(t, func(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
			return readFile(ctx, name, data)
		}, data)
	})
}
