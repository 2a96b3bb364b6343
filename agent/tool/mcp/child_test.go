//go:build unix

package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// modeVariable makes the test binary an MCP server.
const modeVariable = "MCP_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		child(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// child is the server that tests start: the test binary run again.
func child(mode string) {
	switch mode {
	case "mute": // takes everything, answers nothing
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "crash":
		fmt.Fprintln(os.Stderr, "no configuration found")
		os.Exit(3)
	case "garbage":
		fmt.Println("Welcome to my server! Listening on stdio.")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "stubborn": // neither the end of its input nor a signal ends it
		signal.Ignore(syscall.SIGTERM)
		serve()
		select {}
	case "once": // ends after its first start, which it notes in a file
		if _, err := os.Stat(os.Getenv("MCP_TEST_FILE")); err == nil {
			os.Exit(3)
		}
		if err := os.WriteFile(os.Getenv("MCP_TEST_FILE"), nil, 0o600); err != nil {
			panic(err)
		}
	case "chatty":
		fmt.Fprintln(os.Stderr, strings.Repeat("x", 100_000))
		fmt.Fprintln(os.Stderr, "second line")
	}
	serve()
}

func serve() { _ = newServer(nil).Run(context.Background(), &sdk.StdioTransport{}) }

// in is the input of the test server's tools.
type in struct {
	Text string `json:"text,omitempty" jsonschema:"some text"`
}

// newServer returns a server with tools of every kind. If slow is not nil, the
// tool slow sends "started", and then "cancelled" when it is canceled.
func newServer(slow chan<- string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, call func(ctx context.Context, text string) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "the tool " + name},
			func(ctx context.Context, _ *sdk.CallToolRequest, args in) (*sdk.CallToolResult, any, error) {
				r, err := call(ctx, args.Text)
				return r, nil, err
			})
	}
	texts := func(parts ...string) *sdk.CallToolResult {
		r := &sdk.CallToolResult{}
		for _, p := range parts {
			r.Content = append(r.Content, &sdk.TextContent{Text: p})
		}
		return r
	}
	add("echo", func(_ context.Context, text string) (*sdk.CallToolResult, error) {
		return texts("you said", text), nil
	})
	add("files.read", func(context.Context, string) (*sdk.CallToolResult, error) { return texts("read"), nil })
	add("fail", func(context.Context, string) (*sdk.CallToolResult, error) {
		return nil, fmt.Errorf("the printer is out of paper")
	})
	add("panic", func(context.Context, string) (*sdk.CallToolResult, error) { panic("of the server") })
	add("die", func(context.Context, string) (*sdk.CallToolResult, error) { os.Exit(4); return nil, nil })
	add("slow", func(ctx context.Context, file string) (*sdk.CallToolResult, error) {
		if slow != nil {
			slow <- "started"
		}
		if file != "" {
			_ = os.WriteFile(file, []byte("started"), 0o600)
		}
		<-ctx.Done()
		if slow != nil {
			slow <- "cancelled"
		}
		if file != "" {
			_ = os.WriteFile(file, []byte("cancelled"), 0o600)
		}
		return nil, ctx.Err()
	})
	add("huge", func(context.Context, string) (*sdk.CallToolResult, error) {
		return texts(strings.Repeat("é", 500_000)), nil
	})
	add("monstrous", func(context.Context, string) (*sdk.CallToolResult, error) {
		return texts(strings.Repeat("x", maxMessage+1)), nil
	})
	add("env", func(context.Context, string) (*sdk.CallToolResult, error) {
		return texts(strings.Join(os.Environ(), "\n")), nil
	})
	add("pictures", func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "here:"},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("123456")},
			&sdk.ResourceLink{URI: "file:///a.txt", Name: "a"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b.txt", MIMEType: "text/plain", Text: "content of b"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c.bin", Blob: []byte("123")}},
		}}, nil
	})
	var once sync.Once
	add("change", func(context.Context, string) (*sdk.CallToolResult, error) {
		once.Do(func() {
			add("extra", func(context.Context, string) (*sdk.CallToolResult, error) { return texts("extra"), nil })
		})
		return texts("changed"), nil
	})
	add("pid", func(context.Context, string) (*sdk.CallToolResult, error) { return texts(fmt.Sprint(os.Getpid())), nil })
	add("family", func(context.Context, string) (*sdk.CallToolResult, error) {
		c := exec.Command("sleep", "1000")
		if err := c.Start(); err != nil {
			return nil, err
		}
		return texts(fmt.Sprint(c.Process.Pid)), nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "structured"},
		func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, map[string]any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{}}, map[string]any{"answer": 42}, nil
		})
	return s
}
