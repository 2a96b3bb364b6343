package baf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"docent/agent"
	"docent/agent/tool"
	"docent/llm"
	"docent/payload"
)

// Functions returns the Go functions that the agent files call.
func Functions(v Services) ([]tool.Tool, error) {
	var out []tool.Tool
	var failed []error
	add := func(t tool.Tool, err error) {
		out = append(out, t)
		failed = append(failed, err)
	}
	add(tool.New("temperature", "Tells the temperature in a city, in degrees Celsius.", open(v.temperature)))
	add(tool.New("echo", "Returns a text unchanged.", open(echo)))
	add(tool.New("do_summation", "Adds two numbers.", open(sum)))
	add(tool.New("pages", "Returns the text of the website.", open(v.pages)))
	add(tool.New("stars", "Returns the number of stars of a GitHub repository.", open(v.stars)))
	add(tool.New("comment_issue", "Comments a GitLab issue.", open(v.commentIssue)))
	add(tool.New("transcribe", "Returns the text of the uploaded recording.", open(v.transcribe)))
	add(tool.New("file_text", "Returns the text of the uploaded file.", open(fileText)))
	add(tool.New("look", "Tells what is in the uploaded picture.", open(v.look)))
	return out, errors.Join(failed...)
}

// open returns a function with a result of any type, as tools have it.
func open[In, Out any](f func(context.Context, In) (Out, error)) func(context.Context, In) (any, error) {
	return func(ctx context.Context, in In) (any, error) { return f(ctx, in) }
}

// nothing are the arguments of a function without arguments.
type nothing struct{}

// place are the arguments of temperature.
type place struct {
	City string `json:"city"`
}

// temperature invents the weather: the same for each city at all times.
func (Services) temperature(_ context.Context, p place) (float64, error) {
	degrees, ok := map[string]float64{"Barcelona": 24.5, "Madrid": 31, "Luxembourg": 3}[p.City]
	if !ok {
		return 0, &tool.Error{Text: "there is no weather for " + p.City}
	}
	return degrees, nil
}

// words are the arguments of echo.
type words struct {
	Text string `json:"text" description:"the text to return"`
}

func echo(_ context.Context, w words) (string, error) { return w.Text, nil }

// numbers are the arguments of sum.
type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func sum(_ context.Context, n numbers) (float64, error) { return n.A + n.B, nil }

// Limits of pages.
const (
	maxPages     = 20
	maxPageBytes = 1 << 20
)

// pages returns the text of the pages of the website that its first page leads to.
func (v Services) pages(ctx context.Context, _ nothing) (string, error) {
	var text strings.Builder
	queue, seen := []string{v.Website}, map[string]bool{v.Website: true}
	for n := 0; n < len(queue) && n < maxPages; n++ {
		page, links, err := read(ctx, queue[n])
		if err != nil {
			return "", err
		}
		text.WriteString(page)
		for _, link := range links {
			if strings.HasPrefix(link, v.Website) && !seen[link] {
				seen[link] = true
				queue = append(queue, link)
			}
		}
	}
	return text.String(), nil
}

// read returns the text and the links of a page.
func read(ctx context.Context, address string) (text string, links []string, err error) {
	body, err := request(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, err
	}
	base, err := url.Parse(address)
	if err != nil {
		return "", nil, fmt.Errorf("page %s: %w", address, err)
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return "", nil, fmt.Errorf("page %s: %w", address, err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if line := strings.TrimSpace(n.Data); n.Type == html.TextNode && line != "" {
			b.WriteString(line + "\n")
		}
		for _, a := range n.Attr {
			if n.Type == html.ElementNode && n.Data == "a" && a.Key == "href" {
				if link, err := base.Parse(a.Val); err == nil {
					link.Fragment = ""
					links = append(links, link.String())
				}
			}
		}
	}
	return b.String(), links, nil
}

// repository are the arguments of stars.
type repository struct {
	Name string `json:"name" description:"such as OWNER/NAME"`
}

// stars asks GitHub for the stars of a repository.
func (v Services) stars(ctx context.Context, r repository) (int, error) {
	body, err := request(ctx, http.MethodGet, v.GitHub+"/repos/"+r.Name, nil)
	if err != nil {
		return 0, err
	}
	var repo struct {
		Stars int `json:"stargazers_count"`
	}
	if err := json.Unmarshal(body, &repo); err != nil {
		return 0, fmt.Errorf("stars of %s: %w", r.Name, err)
	}
	return repo.Stars, nil
}

// comment are the arguments of commentIssue.
type comment struct {
	Project string  `json:"project" description:"such as GROUP/NAME"`
	Issue   float64 `json:"issue" description:"the number of the issue"`
	Text    string  `json:"text"`
}

// commentIssue comments an issue on GitLab.
func (v Services) commentIssue(ctx context.Context, c comment) (string, error) {
	note, err := json.Marshal(map[string]string{"body": c.Text})
	if err != nil {
		return "", err
	}
	_, err = request(ctx, http.MethodPost, fmt.Sprintf("%s/projects/%s/issues/%v/notes", v.GitLab, url.PathEscape(c.Project), c.Issue), note)
	return "", err
}

// request sends a request and returns the body of the response.
func request(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s: status %d", method, address, res.StatusCode)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, maxPageBytes))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, address, err)
	}
	return content, nil
}

// errNoFile reports that a function was called without an uploaded file.
var errNoFile = &tool.Error{Text: "there is no file"}

// uploaded returns the content of the file of the event.
func uploaded(ctx context.Context) (file payload.File, content []byte, err error) {
	s, ok := agent.SessionFrom(ctx)
	if !ok || s.Event().File == nil {
		return payload.File{}, nil, errNoFile
	}
	file = *s.Event().File
	content, err = file.Bytes()
	return file, content, err
}

func fileText(ctx context.Context, _ nothing) (string, error) {
	_, content, err := uploaded(ctx)
	return strings.ToValidUTF8(string(content), "�"), err
}

// transcribe returns the text of the uploaded recording.
func (v Services) transcribe(ctx context.Context, _ nothing) (string, error) {
	_, content, err := uploaded(ctx)
	if err != nil {
		return "", err
	}
	return v.Speech.Transcribe(ctx, content, "")
}

// sight is what a model sees in a picture.
type sight struct {
	Persons int  `json:"persons"`
	Phone   bool `json:"phone"`
	IPhone  bool `json:"iphone"`
}

// look asks the chat model for the persons and phones in the uploaded picture.
func (v Services) look(ctx context.Context, _ nothing) (sight, error) {
	file, content, err := uploaded(ctx)
	if err != nil {
		return sight{}, err
	}
	question := llm.Text(llm.User, `What is in the picture? Answer only with JSON, such as {"persons": 1, "phone": true, "iphone": false}.`)
	question.Images = []llm.Image{{MediaType: file.Type, Data: content}}
	answer, err := llm.Ask(ctx, v.Model, llm.Request{Messages: []llm.Message{question}, JSON: true})
	if err != nil {
		return sight{}, err
	}
	var seen sight
	if err := json.Unmarshal([]byte(answer.Text), &seen); err != nil {
		return sight{}, fmt.Errorf("the model sees %q: %w", answer.Text, err)
	}
	return seen, nil
}
