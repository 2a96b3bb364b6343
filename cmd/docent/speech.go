package main

import (
	"fmt"

	"docent/llm/speech"
	"docent/ws"
)

// addSpeech adds the server that listens and speaks, if one is configured.
func (a *app) addSpeech() error {
	if !a.listens() && !a.speaks() {
		return nil
	}
	c := a.cfg.Speech
	client, err := speech.New(speech.Config{
		BaseURL: c.URL, APIKey: c.Key, Transcription: c.Transcription, Model: c.Model, Voice: c.Voice, Metrics: a.metrics,
	})
	if err != nil {
		return fmt.Errorf("speech: %w", err)
	}
	a.speech = client
	return nil
}

// listens reports whether recordings are understood.
func (a *app) listens() bool { return a.cfg.Speech.Transcription != "" }

// speaks reports whether the agent can say a text as sound.
func (a *app) speaks() bool { return a.cfg.Speech.Model != "" }

// transcriber is what sockets listen with; nil if nobody does.
func (a *app) transcriber() ws.Transcriber {
	if !a.listens() {
		return nil
	}
	return a.speech
}
