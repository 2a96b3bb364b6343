package postgres

import (
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"

	"docent/store"
)

// Rows are sent to the database as arrays, one for each column, for unnest.

// messageArrays returns the messages among entries with their positions; nil
// without messages.
func messageArrays(entries []journal.Entry) []any {
	var places []int64
	var types, contents, clients, said, sentences []string
	var users []bool
	var times []time.Time
	for i, e := range entries {
		if m := e.Message; m != nil {
			places, types, contents = append(places, int64(i+1)), append(types, m.Type), append(contents, string(m.Content))
			users, times, clients, said = append(users, m.IsUser), append(times, m.Time), append(clients, m.ClientID), append(said, store.Said(*m))
			sentences = append(sentences, m.Sentence.JSON())
		}
	}
	if places == nil {
		return nil
	}
	return []any{places, types, contents, users, times, clients, said, sentences}
}

// stepArrays returns the steps among entries with their positions; nil without
// steps.
func stepArrays(entries []journal.Entry) []any {
	var places, answers, chats []int64
	var kinds, stepKinds, summaries, payloads []string
	var steps []int32
	var times []time.Time
	for i, e := range entries {
		if r := e.Step; r != nil {
			places, answers, chats = append(places, int64(i+1)), append(answers, int64(e.Answer)), append(chats, r.ChatID)
			kinds, stepKinds, steps = append(kinds, r.Kind), append(stepKinds, r.StepKind), append(steps, int32(r.Step))
			summaries, payloads, times = append(summaries, r.Summary), append(payloads, string(r.Payload)), append(times, r.Time)
		}
	}
	if places == nil {
		return nil
	}
	return []any{places, answers, chats, kinds, stepKinds, steps, summaries, payloads, times}
}

// transitionArrays returns the columns of transitions.
func transitionArrays(all []chat.Transition, now time.Time) []any {
	n := len(all)
	sources, dests, events, conditions := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	times := make([]time.Time, n)
	for i, t := range all {
		sources[i], dests[i], events[i], conditions[i] = store.Text(t.Source), store.Text(t.Dest), store.Text(t.Event), store.Text(t.Condition)
		times[i] = store.Time(t.Time, now)
	}
	return []any{sources, dests, events, conditions, times}
}

// predictionArrays returns the columns of predictions.
func predictionArrays(all []chat.Prediction) []any {
	n := len(all)
	messages, classifiers, intents := make([]string, n), make([]string, n), make([]string, n)
	scores, times := make([]float64, n), make([]time.Time, n)
	for i, p := range all {
		messages[i], classifiers[i], intents[i], scores[i], times[i] = p.Message, p.Classifier, p.Intent, p.Score, p.Time
	}
	return []any{messages, classifiers, intents, scores, times}
}

// parameterArrays returns the parameters of predictions with the positions of
// the predictions; nil without parameters.
func parameterArrays(all []chat.Prediction) []any {
	var of []int64
	var names, infos []string
	var values []*string
	for i, p := range all {
		for _, q := range p.Parameters {
			of, names, values, infos = append(of, int64(i+1)), append(names, q.Name), append(values, q.Value), append(infos, q.Info)
		}
	}
	if of == nil {
		return nil
	}
	return []any{of, names, values, infos}
}

// linkArrays returns the arguments of linkSteps.
func linkArrays(links []journal.Link) []any {
	steps, answers, chats := make([]int64, len(links)), make([]int64, len(links)), make([]int64, len(links))
	for i, l := range links {
		steps[i], answers[i], chats[i] = l.Step, int64(l.Answer), l.Chat
	}
	return []any{steps, answers, chats}
}
