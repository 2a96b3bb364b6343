// Package archtest defines the structure of the repository as data: allowed imports
// and size limits. Its tests fail if the code violates them.
package archtest

// Level groups packages in the import order. A package may import packages of lower
// levels, and its own parent and child folders. Packages of one level do not import
// each other, except for those in Families. internal/wiring connects the others.
type Level struct {
	// Name is the name in error messages.
	Name string
	// Packages are folders of the module. "x/..." covers x and all folders below.
	Packages []string
}

// Levels are the levels in import order, lowest first.
var Levels = []Level{
	{"errors", []string{
		"internal/fault", "internal/archtest", "internal/flat", "internal/limits", "internal/meter", "internal/cores",
		"internal/wstest", "internal/openai", "internal/terminal", "internal/lazyregexp",
	}},
	{"ground", []string{
		"config", "migrations", "web", "payload", "internal/disk", "internal/errlog", "internal/lease",
		"internal/quota", "internal/storetest", "internal/trace",
	}},
	{"models", []string{"llm/...", "embed/..."}},
	{"domain", []string{
		"rag", "rag/brief", "rag/corpus", "rag/definition", "rag/describe", "rag/evidence", "rag/order", "rag/quote", "rag/retrieve/...",
		"rag/talk", "rag/text", "agent/chat", "agent/diagram", "ingest/outline", "rag/table/...",
	}},
	{"abilities", []string{"agent/tool/...", "agent/intent/..."}},
	{"parts of the runtime", []string{"agent/peer", "agent/session/journal", "agent/session/replica"}},
	{"agents and answers", []string{"agent", "rag/pipeline"}},
	{"bodies", []string{"agent/reason"}},
	{"sessions", []string{"agent/session"}},
	{"recordings", []string{"agent/recording"}},
	{"parts", []string{
		"index/...", "ingest/...", "agent/...", "eval/...", "auth/...", "backup", "insight/...",
		"profile", "settings/...", "webhook", "ws/dialect",
	}},
	{"HTTP routes", []string{"api/route", "api/slots", "api/stall", "api/sse", "api/filename"}},
	{"HTTP answers", []string{"api/ask"}},
	{"edges", []string{
		"store/...", "ws/...", "api/...", "client/...", "internal/pgtest", "internal/sqlitetest",
		"internal/quota/quotatest", "profile/profiletest", "webhook/webhooktest",
	}},
	{"wiring", []string{"internal/wiring"}},
	{"module", []string{"."}},
	{"server tests", []string{"internal/servertest"}},
	{"program", []string{"cmd/...", "examples/...", "tools/..."}},
}

// Family is a group of packages in one level that may import each other, in one
// direction.
type Family struct {
	// From are the packages that import, as in Level.Packages.
	From string
	// To are the imported packages.
	To string
}

// Families are the groups whose packages divide one task.
var Families = []Family{
	{"rag/*", "rag/..."},
	{"rag/retrieve/*", "rag/..."},
	{"rag/table/*", "rag/..."},
	{"ingest/outline", "rag/corpus"},
	{"store/*", "store/sql"},
	{"embed/*", "embed/*"},
	{"insight/digest", "insight/today"},
	{"index/pg*", "index/pgfollow"},
	{"ingest/...", "ingest/extract/..."},
	{"ingest/...", "ingest/format"},
	{"ingest/*", "ingest/*"},
	{"ingest/source/*", "ingest/source/*"},
	{"cmd/docent/*", "cmd/docent/*"},
	{"examples/*", "examples/*"},
}

// Reserved lists the only packages that may import a module, so that a technology
// stays behind one interface. Tests may import anything. A folder with * covers all
// that fit, and none need exist yet.
var Reserved = map[string][]string{
	"github.com/jackc/pgx/v5":                {"store/postgres", "internal/pgtest", "index/pg*"},
	"modernc.org/sqlite":                     {"store/sqlite", "internal/sqlitetest", "rag/table/query"},
	"github.com/gorilla/websocket":           {"ws", "client", "internal/wstest"},
	"github.com/sashabaranov/go-openai":      {"llm/..."},
	"github.com/tmc/langchaingo":             {"llm"},
	"github.com/philippgille/chromem-go":     {"index/chromem"},
	"github.com/klippa-app/go-pdfium":        {"ingest/..."},
	"github.com/danielgtaylor/huma/v2":       {"api/..."},
	"github.com/spf13/cobra":                 {"cmd/..."},
	"github.com/spf13/pflag":                 {"cmd/...", "config", "."},
	"github.com/pressly/goose/v3":            {"migrations", "store/..."},
	"go.opentelemetry.io/otel":               {"internal/trace"},
	"github.com/wneessen/go-mail":            {"insight/digest"},
	"github.com/modelcontextprotocol/go-sdk": {"agent/tool/mcp", "api/mcp"},
}

// Size limits.
const (
	// MaxFileLines limits a Go, TypeScript, Svelte, or CSS file.
	MaxFileLines = 600
	// MaxFuncLines limits a function.
	MaxFuncLines = 100
	// MaxInterfaceMethods limits the methods of an interface, including embedded ones.
	MaxInterfaceMethods = 10
	// MaxMethods limits the methods of a type.
	MaxMethods = 40
	// MinRoomLines is the size from which a package needs no tests of its own, although only
	// its parent imports it.
	MinRoomLines = 400
	// MaxLineLength limits a line of Go, in characters.
	MaxLineLength = 140
)

// MethodBudgets are the types with their own limit of methods.
var MethodBudgets = map[string]int{
	"agent.Session": 65, // everything that the author of an agent can do in a turn
}

// BadNames are meaningless words in the names of packages and files.
var BadNames = []string{"utils", "util", "helpers", "helper", "common", "manager", "misc", "types", "models"}
