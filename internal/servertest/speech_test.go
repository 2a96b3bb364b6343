package servertest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
)

// audioServer is a server with OpenAI's audio API. It returns the same
// transcript for every Ogg file, and one sample as speech.
func audioServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/audio/speech" && strings.Contains(string(body), `"input":"Hello.","voice":"nova"`) {
			w.Header().Set("Content-Type", "audio/pcm")
			_, _ = io.WriteString(w, "\x01\x00")
			return
		}
		if r.URL.Path != "/v1/audio/transcriptions" || r.Header.Get("Authorization") != "Bearer sk-audio" ||
			!strings.Contains(string(body), "OggS") || !strings.Contains(string(body), "whisper-test") {
			http.Error(w, "what?", http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"text":"how much does the feed pump move?"}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// TestVoice: the configured server transcribes a recording, and docent answers
// it. Without a transcript, docent replies with an error. The page and clients
// can see whether voice is set up.
func TestVoice(t *testing.T) {
	t.Parallel()
	server := servertest.Start(t, servertest.Config{
		Documents: []servertest.Document{litres},
		Settings:  map[string]string{"speech.key": "sk-audio", "speech.url": audioServer(t), "speech.transcription-model": "whisper-test"},
	})
	at := server.URL
	var info struct {
		Voice struct{ Listens, Speaks bool }
	}
	if getJSON(t, at+"/api/info", &info); !info.Voice.Listens || info.Voice.Speaks {
		t.Errorf("voice: %+v", info.Voice)
	}
	c := dial(t, at)
	hear(t, c)                                                                                    // the greeting
	say(t, c, wstest.MessageText, `{"action":"user_voice","message":"UklGRiQAAABXQVZFZm10IA=="}`) // which the server does not know
	if f := hear(t, c); f["action"] != "agent_reply_str" || !strings.HasPrefix(f["message"].(string), "Sorry") {
		t.Errorf("got %v", f)
	}
	say(t, c, wstest.MessageText, `{"action":"user_voice","message":"T2dnUw=="}`)
	if f := hear(t, c); f["action"] != "user_message" || f["history"] != true || f["message"] != "how much does the feed pump move?" {
		t.Errorf("echo %v", f)
	}
	f := hear(t, c)
	message, _ := f["message"].(map[string]any)
	if answer, _ := message["answer"].(string); f["action"] != "agent_reply_rag" || !strings.Contains(answer, "40 litres") {
		t.Errorf("answer %v", f)
	}
	if log := server.Log(); strings.Contains(log, "sk-audio") || strings.Contains(log, "feed pump") {
		t.Errorf("the log says %s", log)
	}
	c = dial(t, at+"/?protocol=docent.v1")
	say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
	welcome := hear(t, c)["message"].(map[string]any)
	if voice, _ := welcome["voice"].(map[string]any); voice["listens"] != true || voice["speaks"] != false {
		t.Errorf("welcome %v", welcome)
	}
}

// TestSpeech: an agent replies with sound from the configured server, and with
// text without one.
func TestSpeech(t *testing.T) {
	t.Parallel()
	const agent = "name: loud\ngreeting: Hm.\nstates: {s: {initial: true, body: [{speak: Hello.}], on: [{message: any, to: s}]}}"
	const sound = `{"audio_data_base64":"AQA=","metadata":{"dtype":"int16","sample_rate":24000,"shape":[1]}}`
	for action, settings := range map[string]map[string]string{
		"agent_reply_audio": {"speech.url": audioServer(t), "speech.model": "tts-test", "speech.voice": "nova"},
		"agent_reply_str":   {},
	} {
		at := servertest.Start(t, servertest.Config{Agent: agent, Settings: settings}).URL
		c := dial(t, at)
		for hear(t, c)["message"] != "Hm." {
		}
		say(t, c, wstest.MessageText, `{"action":"user_message","message":"hi"}`)
		f := hear(t, c)
		message, err := json.Marshal(f["message"])
		if want := map[bool]string{true: sound, false: `"Hello."`}[len(settings) > 0]; err != nil || f["action"] != action || string(message) != want {
			t.Errorf("got %v, want %s %s", f, action, want)
		}
	}
}
