// Package archtest holds the repository's structure as data: which package may
// import which, and how large things may grow. Its tests fail the build when
// the code says otherwise.
package archtest

// Level orders the packages: a package may import those of lower levels, its
// own parent or child folders, and nothing else of this module. Siblings of
// one level never meet; what needs both is wired in cmd.
type Level struct {
	// Name is shown when the rule is broken.
	Name string
	// Packages are folders of the module; "x/..." covers x and all below.
	Packages []string
}

// Levels is the import order, lowest first.
var Levels = []Level{
	{"errors", []string{"internal/fault", "internal/archtest", "internal/flat", "internal/prompt", "internal/limits", "internal/meter", "internal/cores", "internal/wstest", "internal/openai"}},
	{"ground", []string{"config", "migrations", "web", "payload"}},
	{"models", []string{"llm/...", "embed/..."}},
	{"domain", []string{"rag/...", "ingest/outline"}},
	{"abilities", []string{"agent/tool/...", "agent/intent"}},
	{"parts", []string{"index/...", "ingest/...", "agent/...", "eval/...", "auth/..."}},
	{"edges", []string{"store/...", "ws/...", "api/...", "client/...", "internal/pgtest"}},
	{"program", []string{"cmd/...", "examples/...", "tools/..."}},
}

// Reserved says which packages alone may import a module: technology stays
// behind its seam. Tests may import anything.
var Reserved = map[string][]string{
	"github.com/jackc/pgx/v5":                {"store/postgres", "index/pgvector", "internal/pgtest"},
	"modernc.org/sqlite":                     {"store/sqlite"},
	"github.com/gorilla/websocket":           {"ws", "client", "internal/wstest"},
	"github.com/sashabaranov/go-openai":      {"llm/..."},
	"github.com/tmc/langchaingo":             {"llm"},
	"github.com/philippgille/chromem-go":     {"index/chromem"},
	"github.com/klippa-app/go-pdfium":        {"ingest/..."},
	"github.com/danielgtaylor/huma/v2":       {"api"},
	"github.com/spf13/cobra":                 {"cmd/..."},
	"github.com/spf13/pflag":                 {"cmd/...", "config"},
	"github.com/pressly/goose/v3":            {"migrations", "store/..."},
	"github.com/modelcontextprotocol/go-sdk": {"agent/tool/mcp"},
	// Filling in a template may call any method, so the linker then keeps the
	// methods of all types: 5 MB. internal/prompt uses its parser only.
	"text/template": {"internal/prompt"},
	"html/template": {},
}

// Budgets.
const (
	// MaxFileLines bounds a Go, TypeScript, Svelte or CSS file.
	MaxFileLines = 600
	// MaxFuncLines bounds a function.
	MaxFuncLines = 100
	// MaxInterfaceMethods bounds the methods an interface declares itself.
	MaxInterfaceMethods = 5
)

// BadNames are package and file names that say nothing.
var BadNames = []string{"utils", "util", "helpers", "helper", "common", "manager", "misc", "types", "models"}
