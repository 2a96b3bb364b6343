package sessiontest

import (
	"math"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var predictionTests = map[string]func(*testing.T, Database){
	"Rows":   predictionRows,
	"None":   predictionNone,
	"Astray": predictionAstray,
}

// predictions selects the rows of both tables as BAF's tools read them.
const (
	predictions = `SELECT s.session_id || '/' || p.turn || ' ' || p.message || ' | ' || p.intent_classifier || ' | ' || p.intent || ' | ' || CAST(p.score * 1000 AS integer)
		FROM intent_prediction p JOIN session s ON s.id = p.session_id ORDER BY p.id`
	parameters = `SELECT p.intent || '.' || q.name || ' = ' || coalesce(q.value, 'null') || ' ' || coalesce(q.info, 'null')
		FROM parameter q JOIN intent_prediction p ON p.id = q.intent_prediction_id ORDER BY q.id`
)

func predictionRows(t *testing.T, db Database) {
	s := db.Open(t)
	session := open(t, s, "x").RowID
	found, empty := "Paris\x00\xff", ""
	turn := begun(session, say(t, s, session, "", "one").Event)
	turn.Predictions = []chat.Prediction{
		{Message: "weather in \x00Paris\xff", Classifier: "examples", Intent: "weather", Score: 0.875, Parameters: []chat.Parameter{
			{Name: "city", Value: &found, Info: `{"start":11}`}, {Name: "day"}, {Name: "note\x00", Value: &empty},
		}, Time: time.Now()},
		{Message: "", Classifier: "None", Intent: "fallback_intent", Score: 1},
		{Message: "bye", Classifier: "examples", Intent: "bye", Score: math.NaN(), Parameters: []chat.Parameter{{Name: "who", Info: "i"}}},
	}
	commit(t, s, turn)
	commit(t, s, turn) // repeated
	storetest.Want(t, "predictions", db.Strings(t, predictions), []string{
		"x/1 weather in  Paris? | examples | weather | 875", "x/1  | None | fallback_intent | 1000", "x/1 bye | examples | bye | 0",
	})
	storetest.Want(t, "parameters", db.Strings(t, parameters), []string{
		`weather.city = Paris ? {"start":11}`, "weather.day = null null", "weather.note  =  null", "bye.who = null i",
	})
	storetest.Want(t, "given", found, "Paris\x00\xff")
}

func predictionNone(t *testing.T, db Database) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	reply(t, s, row, say(t, s, row, "", "one").Event, "re")
	storetest.Want(t, "predictions", db.Strings(t, predictions), []string{})
	storetest.Want(t, "parameters", db.Strings(t, parameters), []string{})
	// BAF's tools expect null for missing values.
	tasks := journal.Entry{Step: &chat.Reasoning{Kind: "task_list_update", Payload: []byte("{}")}}
	commit(t, s, begun(row, say(t, s, row, "", "two").Event, tasks, thought("t", 0)))
	storetest.Want(t, "steps", db.Strings(t, `SELECT kind || ' ' || coalesce(step_kind, 'null') || ' ' || coalesce(step, -1) || ' ' || coalesce(summary, 'null')
		FROM reasoning_step ORDER BY seq`), []string{"task_list_update null -1 null", "reasoning_step thought 0 t"})
}

// predictionAstray checks that rows refer only to existing rows of the same session.
func predictionAstray(t *testing.T, db Database) {
	s := db.Open(t)
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	elsewhere := say(t, s, other, "", "elsewhere").Event.Message.ID
	e := say(t, s, row, "", "one").Event
	astray := part(t, s, other, journal.EventRecord{Turn: 1}, thought("another's", 0))
	var links []journal.Link
	for _, chat := range []int64{elsewhere, 999} {
		step := thought("t", 0)
		step.Step.ChatID = chat
		got := part(t, s, row, e, step).Entries[0].Step
		storetest.Want(t, "link", got.ChatID, 0)
		links = append(links, journal.Link{Step: got.ID, Chat: chat})
	}
	links = append(links, journal.Link{Step: astray.Entries[0].Step.ID, Answer: 1})
	turn := begun(row, e, told("x"))
	turn.Links = links
	commit(t, s, turn)
	storetest.Want(t, "links", db.Strings(t, "SELECT 'linked' FROM reasoning_step WHERE chat_id IS NOT NULL"), []string{})
}
