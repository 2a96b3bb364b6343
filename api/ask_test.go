package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

const answerJSON = `{"llm_name":"m","question":"what?","answer":"A row [1]","docs":[],"sentences":[],"abstained":false}`

func TestAskJSON(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.more = []corpus.CollectionInfo{{Name: "c"}}
	var got rag.Request
	answer := w.answer
	w.answer = func(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
		got = req
		return answer(ctx, req)
	}
	c := w.serve(t)
	c.want(200, answerJSON, "POST", "/api/ask", `{"question":"what?","k":3,"model":"m","prompt":"p","collections":["c"],
		"history":[{"role":"user","text":"a"},{"role":"assistant","text":"b"}]}`, "Content-Type", "application/json")
	if got.K != 3 || got.Model != "m" || got.Prompt != "p" || !slices.Equal(got.Collections, []string{"c"}) || got.History != 2 || got.Turns[1] != (talk.Turn{Role: talk.Assistant, Text: "b"}) {
		t.Errorf("request is %+v", got)
	}
	for body, says := range map[string]string{
		``: "body", `{`: "body", `{}`: "question", `{"question":" "}`: "empty", `{"question":1}`: "body.question",
		`{"question":"x","k":51}`: "body.k", `{"question":"x","history":[{"role":"system","text":"x"}]}`: "body.history",
		`{"question":"x","collections":["\u0000"]}`: "plain", `{"question":"x","typo":1}`: "body.typo",
	} {
		c.wantError(400, fault.Invalid, says, "POST", "/api/ask", body)
	}
	c.wantError(415, fault.Invalid, "content type", "POST", "/api/ask", `{"question":"x"}`, "Content-Type", "text/plain")
	c.wantError(413, fault.Invalid, "too large", "POST", "/api/ask", `{"question":"`+strings.Repeat("x", DefaultMessageBytes)+`"}`)
}

func TestAskStream(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	resp, body := c.do("POST", "/api/ask", `{"question":"what?"}`, "Accept", "text/event-stream")
	want := "event: phase\ndata: {\"phase\":\"searching\"}\n\nevent: phase\ndata: {\"phase\":\"answering\"}\n\n" +
		"event: delta\ndata: {\"text\":\"A tuple\"}\n\nevent: delta\ndata: {\"text\":\"\\nis \\u003cb\\u003e\\\"a row\\\"\\u003c/b\\u003e\"}\n\n" +
		"event: message\ndata: " + answerJSON + "\n\n"
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || body != want {
		t.Errorf("%d %s %s\nwant %s", resp.StatusCode, resp.Header.Get("Content-Type"), body, want)
	}
}

// A refusal by the model server is not the caller's mistake. Its text may repeat
// the question, so it is not logged.
func TestRefusalByTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.answer = func(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
		return func(yield func(rag.Part, error) bool) {
			refusal := &llm.StatusError{Status: 400, Message: "cannot answer: confidential"}
			yield(rag.Part{}, fmt.Errorf("llm m: %w", fault.Wrap(fault.Unavailable, refusal,
				"test_sentence", "the model server refused the request (status 400)")))
		}
	}
	c := w.serve(t)
	c.wantError(503, fault.Unavailable, "status 400", "POST", "/api/ask", `{"question":"x"}`)
	log := c.log.String()
	for _, want := range []string{"level=WARN", "kind=unavailable", `route="POST /api/ask"`, "request=", "refused the request", "model_status=400"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q: %s", want, log)
		}
	}
	if strings.Contains(log, "confidential") || strings.Count(log, "request failed") != 1 {
		t.Errorf("log is %s", log)
	}
}

func TestAskErrors(t *testing.T) {
	t.Parallel()
	fails := func(first ...rag.Part) func(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
		return func(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
			return func(yield func(rag.Part, error) bool) {
				for _, p := range first {
					if !yield(p, nil) {
						return
					}
				}
				yield(rag.Part{}, fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model is away"))
			}
		}
	}
	w := newWorld()
	c := w.serve(t, func(cfg *Config) { cfg.limits.Answers = 1 })
	w.answer = fails()
	// An error before the first event has an HTTP status, both with and without
	// streaming. Each request releases its slot.
	c.wantError(503, fault.Unavailable, "away", "POST", "/api/ask", `{"question":"x"}`)
	c.wantError(503, fault.Unavailable, "away", "POST", "/api/ask", `{"question":"x"}`, "Accept", "text/event-stream")
	w.answer = fails(rag.Part{Delta: "half"})
	_, body := c.do("POST", "/api/ask", `{"question":"x"}`, "Accept", "text/event-stream")
	if want := "event: delta\ndata: {\"text\":\"half\"}\n\nevent: error\ndata: {\"code\":\"unavailable\",\"id\":\"test_sentence\",\"params\":[],\"message\":\"the model is away\",\"retryable\":true}\n\n"; body != want {
		t.Errorf("stream is %s, want %s", body, want)
	}
	w.answer = func(context.Context, rag.Request) iter.Seq2[rag.Part, error] { return parts() }
	c.wantError(500, fault.Internal, "", "POST", "/api/ask", `{"question":"x"}`, "Accept", "text/event-stream")
	w.answer = func(context.Context, rag.Request) iter.Seq2[rag.Part, error] { panic("a bug") }
	c.wantError(500, fault.Internal, "", "POST", "/api/ask", `{"question":"x"}`, "Accept", "text/event-stream")
	w.answer = newWorld().answer
	c.want(200, strings.Replace(answerJSON, "what?", "x", 1), "POST", "/api/ask", `{"question":"x"}`)
}

// hanging yields a delta and then waits for its context to end.
func hanging(ended chan<- error) func(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
	return func(ctx context.Context, _ rag.Request) iter.Seq2[rag.Part, error] {
		return func(yield func(rag.Part, error) bool) {
			if yield(rag.Part{Delta: "first"}, nil) {
				<-ctx.Done()
				yield(rag.Part{}, ctx.Err())
			}
			ended <- ctx.Err()
		}
	}
}

func TestAskFlushesAndDisconnectCancels(t *testing.T) {
	t.Parallel()
	w, ended := newWorld(), make(chan error, 1)
	w.answer = hanging(ended)
	c := w.serve(t, func(cfg *Config) { cfg.limits.Answers = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", c.url+"/api/ask", strings.NewReader(`{"question":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	if err != nil || line != "event: delta\n" {
		t.Fatalf("read %q, %v while the answer is being made", line, err)
	}
	c.wantError(503, fault.Busy, "as many questions", "POST", "/api/ask", `{"question":"x"}`)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the answer ended with %v", err)
	}
}

// While the model is silent, the stream sends comments.
func TestAskKeepsSilenceAlive(t *testing.T) {
	t.Parallel()
	w, goOn, tick := newWorld(), make(chan struct{}), make(chan time.Time)
	w.answer = func(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
		return func(yield func(rag.Part, error) bool) {
			if yield(rag.Part{Phase: rag.Answering}, nil) {
				<-goOn
				yield(rag.Part{Delta: "x"}, nil)
			}
		}
	}
	c := w.serve(t, func(cfg *Config) {
		cfg.ticks = func() (<-chan time.Time, func()) { return tick, func() {} }
	})
	var body string
	var asking sync.WaitGroup
	asking.Go(func() {
		_, body = c.do("POST", "/api/ask", `{"question":"x"}`, "Accept", "text/event-stream")
	})
	tick <- time.Time{}
	tick <- time.Time{} // the first comment is written now
	close(goOn)
	asking.Wait()
	const alive, phase, delta = ": keep-alive\n\n", "event: phase\ndata: {\"phase\":\"answering\"}\n\n", "event: delta\ndata: {\"text\":\"x\"}\n\n"
	if got := strings.ReplaceAll(body, alive, ""); got != phase+delta || strings.Count(body, alive) != 2 {
		t.Errorf("stream is %q", body)
	}
}

// huma sets a deadline for reading the body and does not remove it. It would end
// the context of a slow handler.
func TestSlowAnswerOutlivesTheBodyTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld()
	answer := w.answer
	w.answer = func(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
		timer := time.NewTimer(1500 * time.Millisecond)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return func(yield func(rag.Part, error) bool) { yield(rag.Part{}, ctx.Err()) }
		case <-timer.C:
			return answer(ctx, req)
		}
	}
	c := w.serve(t, func(cfg *Config) { cfg.bodyTimeout = 500 * time.Millisecond })
	c.want(200, answerJSON, "POST", "/api/ask", `{"question":"what?"}`)
}
