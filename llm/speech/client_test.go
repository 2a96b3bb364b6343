package speech_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"go.uber.org/goleak"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/speech"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-secret"

// serve returns a client of a server with one handler.
func serve(t *testing.T, handler http.HandlerFunc, change func(*speech.Config)) *speech.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cfg := speech.Config{BaseURL: server.URL + "/v1/", APIKey: key, Transcription: "whisper-1", Model: "tts-1", HTTPClient: server.Client()}
	if change != nil {
		change(&cfg)
	}
	c, err := speech.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer sends a body with a status.
func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// wav is a file of 16-bit samples.
func wav(rate uint32, channels uint16, data []byte) []byte {
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(36+len(data)))...)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*2*uint32(channels))
	b = binary.LittleEndian.AppendUint16(b, 2*channels)
	b = append(b, "\x10\x00data"...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...)
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	var path, auth, name, content string
	var form map[string][]string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.Method+" "+r.URL.Path, r.Header.Get("Authorization")
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }()
		form = r.MultipartForm.Value
		file := r.MultipartForm.File["file"][0]
		name = file.Filename
		f, err := file.Open()
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		content = string(b)
		_, _ = io.WriteString(w, `{"text":" Hello é.\n","usage":{"type":"duration"}}`)
	}, nil)
	text, err := c.Transcribe(t.Context(), []byte("OggS…"), "fr")
	if err != nil || text != "Hello é." {
		t.Errorf("got %q %v", text, err)
	}
	if path != "POST /v1/audio/transcriptions" || auth != "Bearer "+key || name != "recording.ogg" || content != "OggS…" {
		t.Errorf("sent %s %s %s %q", path, auth, name, content)
	}
	got, _ := json.Marshal(form)
	if string(got) != `{"language":["fr"],"model":["whisper-1"],"response_format":["json"]}` {
		t.Errorf("form %s", got)
	}
}

// Invalid recordings are not sent.
func TestFileName(t *testing.T) {
	t.Parallel()
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }, nil)
	for file, want := range map[string]string{
		"RIFF\x24\x00\x00\x00WAVEfmt ": "recording.wav", "\x1aE\xdf\xa3\x01": "recording.webm", "OggS\x00": "recording.ogg",
		"\xff\xfb\x90\x00": "recording.mp3", "ID3\x04": "recording.mp3", "\x00\x00\x00\x20ftypM4A ": "recording.m4a", "fLaC\x00": "recording.flac",
		"": "", "RIFF": "", "RIFF\x24\x00\x00\x00AVI LIST": "", "\xff\xf1\x50": "", "\xff": "", "<html>": "", "PK\x03\x04": "",
	} {
		got, err := speech.FileName([]byte(file))
		if got != want || (want == "") != (fault.KindOf(err) == fault.Invalid) {
			t.Errorf("%q: %q %v", file, got, err)
		}
		if want == "" {
			if _, err := c.Transcribe(t.Context(), []byte(file), ""); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: %v", file, err)
			}
		}
	}
}

func TestSpeak(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		contentType string
		body        []byte
		want        string // "" is a refusal
	}{
		"WAV":         {"audio/wav", wav(22050, 1, []byte{1, 0, 0xff, 0xff}), `{"audio_data_base64":"AQD//w==","metadata":{"sample_rate":22050,"dtype":"int16","shape":[2]}}`},
		"stereo":      {"", wav(8000, 2, []byte{1, 0, 2, 0, 3}), `{"audio_data_base64":"AQACAA==","metadata":{"sample_rate":8000,"dtype":"int16","shape":[1,2]}}`},
		"WAV as PCM":  {"audio/pcm", wav(8000, 1, []byte{1, 0}), `{"audio_data_base64":"AQA=","metadata":{"sample_rate":8000,"dtype":"int16","shape":[1]}}`},
		"PCM":         {"audio/pcm", []byte{1, 0, 2}, `{"audio_data_base64":"AQA=","metadata":{"sample_rate":24000,"dtype":"int16","shape":[1]}}`},
		"PCM, rate":   {"audio/pcm;rate=16000;channels=1", []byte{1, 0}, `{"audio_data_base64":"AQA=","metadata":{"sample_rate":16000,"dtype":"int16","shape":[1]}}`},
		"MP3":         {"audio/mpeg", []byte("\xff\xfb\x90\x00"), ""},
		"page":        {"text/html", []byte("<html>"), ""},
		"nothing":     {"audio/wav", nil, ""},
		"empty":       {"audio/wav", wav(8000, 1, nil), ""},
		"no rate":     {"audio/wav", wav(0, 1, []byte{1, 0}), ""},
		"no channels": {"audio/wav", wav(8000, 0, []byte{1, 0}), ""},
		"oversize":    {"audio/pcm", make([]byte, 33<<20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var request string
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				request = r.URL.Path + " " + string(b)
				answer(200, test.contentType, string(test.body))(w, r)
			}, nil)
			sound, err := c.Speak(t.Context(), "Hi")
			got, _ := json.Marshal(sound)
			if test.want == "" {
				if fault.KindOf(err) != fault.Unavailable || fault.Message(err) != "the speech server's answer could not be read" {
					t.Errorf("got %s %v", got, err)
				}
			} else if err != nil || string(got) != test.want {
				t.Errorf("got %s %v", got, err)
			}
			if want := `/v1/audio/speech {"model":"tts-1","input":"Hi","voice":"alloy","response_format":"wav"}`; request != want {
				t.Errorf("sent %s", request)
			}
		})
	}
}

// Refusals have a kind and a message. Only the cause has the server's text, and
// no error has the key or the address.
func TestRefusals(t *testing.T) {
	t.Parallel()
	refusal := func(status int) http.HandlerFunc {
		return answer(status, "application/json", `{"error":{"message":"no, `+key+`"}}`)
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		kind    fault.Kind
		words   string
	}{
		"key":               {refusal(401), fault.Unavailable, "status 401"},
		"model":             {refusal(404), fault.Unavailable, "status 404"},
		"redirect":          {refusal(302), fault.Unavailable, "status 302"},
		"too many requests": {refusal(429), fault.RateLimited, "too many requests"},
		"broken":            {refusal(400), fault.Invalid, "rejected this "},
		"long":              {refusal(413), fault.Invalid, "too long"},
		"problem":           {refusal(500), fault.Unavailable, "status 500"},
		"page":              {answer(200, "text/html", "<html>"), fault.Unavailable, ""},
		"cut":               {answer(200, "application/json", `{"text":`), fault.Unavailable, ""},
		"gone": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, fault.Unavailable, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, test.handler, nil)
			_, heard := c.Transcribe(t.Context(), []byte("OggS"), "")
			_, spoken := c.Speak(t.Context(), "Hi")
			for _, err := range []error{heard, spoken} {
				if fault.KindOf(err) != test.kind || !strings.Contains(fault.Message(err), test.words) {
					t.Errorf("%s %q, want %s …%s…", fault.KindOf(err), fault.Message(err), test.kind, test.words)
				}
				if s := err.Error(); strings.Contains(s, key) || strings.Contains(s, "127.0.0.1") {
					t.Errorf("it says %s", s)
				}
				var status *llm.StatusError
				if errors.As(err, &status) && status.Status != 302 && !strings.Contains(status.Message, "no, [key]") {
					t.Errorf("the cause is %v", status)
				}
			}
		})
	}
	silent := serve(t, answer(200, "application/json", `{"text":" "}`), nil)
	if _, err := silent.Transcribe(t.Context(), []byte("OggS"), ""); fault.KindOf(err) != fault.Invalid {
		t.Errorf("silence: %v", err)
	}
	long := serve(t, answer(200, "application/json", `{"text":"`+strings.Repeat("x", 2<<20)+`"}`), nil)
	if _, err := long.Transcribe(t.Context(), []byte("OggS"), ""); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("too long an answer: %v", err)
	}
}

// A slow server causes a timeout. A caller that gives up gets the error of its
// context.
func TestSlow(t *testing.T) {
	t.Parallel()
	release, asked := make(chan struct{}), make(chan struct{}, 8)
	handler := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server would not notice that the client has left
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}
	hasty := serve(t, handler, func(c *speech.Config) { c.Timeout = 20 * time.Millisecond })
	patient := serve(t, handler, nil)
	t.Cleanup(func() { close(release) })
	_, heard := hasty.Transcribe(t.Context(), []byte("OggS"), "")
	_, spoken := hasty.Speak(t.Context(), "Hi")
	for _, err := range []error{heard, spoken} {
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "within 20ms") {
			t.Error(err)
		}
	}
	for len(asked) > 0 {
		<-asked
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := patient.Speak(ctx, "Hi"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestMetrics: calls are counted, and failures by their kind.
func TestMetrics(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	c := serve(t, answer(429, "application/json", `{}`), func(c *speech.Config) { c.Metrics = set })
	for range 2 {
		if _, err := c.Speak(t.Context(), "Hi"); fault.KindOf(err) != fault.RateLimited {
			t.Error(err)
		}
	}
	var out strings.Builder
	set.WritePrometheus(&out)
	for _, want := range []string{
		`docent_speech_errors_total{call="speak",code="rate_limited"} 2`, `docent_speech_seconds_count{call="speak"} 2`,
		`docent_speech_seconds_count{call="transcribe"} 0`,
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
}

// A client refuses calls that its configuration does not support.
func TestLimits(t *testing.T) {
	t.Parallel()
	deaf := serve(t, nil, func(c *speech.Config) { c.Transcription = "" })
	mute := serve(t, nil, func(c *speech.Config) { c.Model = "" })
	if _, err := deaf.Transcribe(t.Context(), []byte("OggS"), ""); fault.KindOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if _, err := mute.Speak(t.Context(), "Hi"); fault.KindOf(err) != fault.Unavailable {
		t.Error(err)
	}
	for _, text := range []string{"", " \n", strings.Repeat("é", speech.MaxSpokenRunes+1)} {
		if _, err := deaf.Speak(t.Context(), text); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	for _, cfg := range []speech.Config{
		{},
		{Model: "m", BaseURL: "ftp://x"},
		{Model: "m", BaseURL: "http://u:p@x"},
		{Model: "m", BaseURL: "http://x?y"},
		{Model: "m", BaseURL: "http://\x00"},
		{Model: "m", BaseURL: "x"},
		{Model: "m", APIKey: "a\nb"},
		{Model: "m", Timeout: -1},
	} {
		if _, err := speech.New(cfg); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := speech.New(speech.Config{Model: "m"}); err != nil {
		t.Error(err)
	}
}
