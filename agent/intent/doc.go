// Package intent classifies messages. It determines which of an agent's intents a
// message expresses, and finds the values of the intent's parameters in it.
//
// An [Intent] has example sentences. Its [Parameter] values belong to an [Entity],
// such as a city, a number, or a date. In the examples, a fragment stands for the
// value:
//
//	city := intent.Listed("city", intent.Value{Value: "Paris", Synonyms: []string{"city of light"}})
//	weather := intent.New("weather", "what is the weather in CITY").Parameter("city", "CITY", city)
//
// Two classifiers tell intents apart. [Examples] compares a message with the
// example sentences by the built-in embedder, in microseconds and without a
// network. [LLM] asks a model, once per message.
package intent
