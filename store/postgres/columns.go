package postgres

import (
	"time"

	"docent/agent"
	"docent/store"
)

// entryArguments are $1 to $22 of a commit: entries as columns, for unnest.
func entryArguments(turn agent.TurnRecord, entries []agent.Entry, now time.Time) []any {
	var places, stepPlaces, answers, chats []int64
	var types, contents, clients, kinds, stepKinds, summaries, payloads []string
	var users []bool
	var steps []int32
	var times, stepTimes []time.Time
	for i, e := range entries {
		place := int64(i + 1)
		if m := e.Message; m != nil {
			places, types, contents, users = append(places, place), append(types, m.Type), append(contents, string(m.Content)), append(users, m.IsUser)
			times, clients = append(times, m.Time), append(clients, m.ClientID)
			continue
		}
		r := e.Step
		stepPlaces, answers, chats = append(stepPlaces, place), append(answers, int64(e.Answer)), append(chats, r.ChatID)
		kinds, stepKinds = append(kinds, r.Kind), append(stepKinds, r.StepKind)
		steps, summaries, payloads = append(steps, int32(r.Step)), append(summaries, r.Summary), append(payloads, string(r.Payload))
		stepTimes = append(stepTimes, r.Time)
	}
	return []any{
		turn.Session, int64(len(entries)), turn.Turn, now,
		places, types, contents, users, times, clients,
		stepPlaces, answers, chats, kinds, stepKinds, steps, summaries, payloads, stepTimes,
		int64(turn.LinkEarlier), turn.LinkEarlierTo, turn.Failed(),
	}
}

// transitionColumns are transitions as columns, for unnest.
func transitionColumns(all []agent.TransitionRecord, now time.Time) []any {
	n := len(all)
	sources, dests, events, conditions, times := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]time.Time, n)
	for i, t := range all {
		sources[i], dests[i], events[i], conditions[i] = store.Text(t.Source), store.Text(t.Dest), store.Text(t.Event), store.Text(t.Condition)
		times[i] = store.Time(t.Time, now)
	}
	return []any{sources, dests, events, conditions, times}
}

// predictionColumns are predictions and their parameters as columns, for unnest.
func predictionColumns(all []agent.PredictionRecord) []any {
	var messages, classifiers, intents, names, infos []string
	var scores []float64
	var times []time.Time
	var of []int64 // the prediction's place, counted from 1
	var values []*string
	for i, p := range all {
		messages, classifiers, intents = append(messages, p.Message), append(classifiers, p.Classifier), append(intents, p.Intent)
		scores, times = append(scores, p.Score), append(times, p.Time)
		for _, q := range p.Parameters {
			of, names, values, infos = append(of, int64(i+1)), append(names, q.Name), append(values, q.Value), append(infos, q.Info)
		}
	}
	return []any{messages, classifiers, intents, scores, times, of, names, values, infos}
}
