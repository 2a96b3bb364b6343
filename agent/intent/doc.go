// Package intent says what a user wants: it classifies a message as one of the
// intents an agent knows and finds the values of the intent's parameters in it.
//
// An [Intent] has example sentences; a [Parameter] of it is a value of an
// [Entity], such as a city, a number or a date, that takes the place of a
// fragment of the examples:
//
//	city := intent.Listed("city", intent.Value{Value: "Paris", Synonyms: []string{"city of light"}})
//	weather := intent.New("weather", "what is the weather in CITY").Parameter("city", "CITY", city)
//
// Two classifiers tell intents apart. [Examples] compares a message with the
// example sentences by the built-in embedder, in microseconds and without a
// network. [LLM] asks a model, once per message.
package intent
