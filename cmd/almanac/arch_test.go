package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/almanac-sched/almanac/"

// A layer is what a package may import directly, beside the standard library and its own sub-packages, and why no more.
type layer struct {
	ours   []string // packages of this module
	others []string // modules
	banned []string // of the standard library; a path ending in "/" bans what is below it
	why    string
}

// pure is what a package that only computes has no use for.
var pure = []string{"os", "os/exec", "net", "net/", "database/", "log", "log/", "context", "math/rand", "math/rand/"}

// layers is the table of architecture.md.
var layers = map[string]layer{
	"recurrence": {
		others: []string{"github.com/robfig/cron/v3"}, banned: pure,
		why: "recurrence computes times from rules; whoever needs it elsewhere must get it without the world attached",
	},
	"deps": {
		others: []string{"github.com/dominikbraun/graph"}, banned: pure,
		why: "deps sees a schedule as a function from a window to times, so that it and recurrence stay independent",
	},
	"engine": {
		ours: []string{"recurrence", "deps", "engine/fault"}, banned: []string{"os", "os/exec", "net", "net/", "database/", "math/rand", "math/rand/"},
		why: "engine decides; the world is behind the ports Store and Runner, which others implement",
	},
	"engine/spec": {
		ours:   []string{"engine", "recurrence", "deps"},
		others: []string{"go.yaml.in/yaml/v4", "github.com/sosodev/duration", "github.com/expr-lang/expr", "github.com/arran4/golang-ical", "golang.org/x/text"},
		banned: []string{"os", "os/exec", "net", "database/", "math/rand", "math/rand/"},
		why:    "spec reads bytes that it is handed; the file formats live here so that engine has none",
	},
	"engine/azure": {
		ours: []string{"engine", "engine/spec", "recurrence"}, others: []string{"software.sslmate.com/src/go-pkcs12"},
		banned: []string{"os", "os/exec", "net", "net/http", "database/", "log", "log/", "context", "math/rand", "math/rand/"},
		why:    "azure turns documents into other documents; who serves them and who stores them is elsewhere",
	},
	"engine/crontab": {
		ours: []string{"engine/spec"}, banned: pure,
		why: "crontab turns a text into another text; who reads it and who writes it is elsewhere",
	},
	"engine/trace": {
		ours: []string{"engine"}, others: []string{"go.opentelemetry.io/otel", "go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"},
		banned: []string{"os", "os/exec", "database/", "math/rand", "math/rand/"},
		why:    "trace says in another's words what the engine committed; it decides nothing and waits for nobody",
	},
	"engine/fault": {
		banned: []string{"net", "net/", "database/", "math/rand", "math/rand/"},
		why:    "the planted bugs must cost a build without them nothing",
	},
	"engine/fault/effort": {
		banned: []string{"net", "net/", "database/", "math/rand", "math/rand/"},
		why:    "how many cases a test draws is asked by tests alone",
	},
	"engine/invariant": {
		ours: []string{"engine", "recurrence", "deps"}, banned: []string{"os", "os/exec", "net", "net/", "database/", "log", "log/", "math/rand", "math/rand/"},
		why: "what must hold is a function of rows, for a live database, a copy and a simulated one alike",
	},
	"engine/sim": {
		ours: []string{"engine", "engine/spec", "engine/invariant", "recurrence", "deps", "store"}, banned: []string{"net", "net/", "os/exec", "math/rand"},
		why: "a simulated world takes everything from its seed, so that a seed is a whole history",
	},
	"engine/sim/model": {
		ours: []string{"engine", "engine/fault"}, banned: append([]string{"sync/atomic"}, pure[:len(pure)-3]...),
		why: "the model keeps rows as plainly as can be, and shares nothing with the store that it is compared with",
	},
	"engine/action": {
		ours: []string{"engine"},
		others: []string{
			"golang.org/x/sys", "code.dny.dev/ssrf", "github.com/Azure/go-amqp", "software.sslmate.com/src/go-pkcs12", "github.com/jackc/pgx/v5",
			"github.com/go-sql-driver/mysql", "modernc.org/sqlite", "github.com/wneessen/go-mail",
		},
		why: "action touches the outside world, other people's databases among it, and never the rows: a result goes back to the engine by one door",
	},
	"engine/action/actiontest": {
		others: []string{"github.com/stretchr/testify", "github.com/Azure/go-amqp", "software.sslmate.com/src/go-pkcs12"},
		why:    "it starts the programs that actions speak to, and knows nothing of actions",
	},
	"store": {
		ours: []string{"engine", "engine/fault"}, others: []string{"modernc.org/sqlite", "github.com/pressly/goose/v3", "golang.org/x/sys"}, banned: []string{"net/http", "os/exec", "math/rand", "math/rand/"},
		why: "store keeps rows; drivers and migrations live here so that engine has none",
	},
	"store/powerloss": {
		others: []string{"modernc.org/sqlite", "modernc.org/libc", "golang.org/x/sys"}, banned: []string{"net", "net/"},
		why: "a file layer knows files; what is in them is the business of those who test with it",
	},
	"store/storetest": {
		ours: []string{"engine"}, others: []string{"github.com/stretchr/testify"},
		why: "the conformance suite knows a store by its ports alone, so that it holds for every implementation",
	},
	"web": {
		ours: []string{"engine", "deps", "recurrence"}, others: []string{"github.com/go-chi/chi/v5", "github.com/danielgtaylor/huma/v2"}, banned: []string{"database/", "os/exec"},
		why: "web declares the readers that it needs and gets them handed in; it does not know the store",
	},
	"web/client": {
		banned: []string{"os", "os/exec", "database/", "log", "log/"},
		why:    "whoever speaks to the server gets nothing of the server with it, and no module beside",
	},
	"web/metrics": {
		ours: []string{"engine"}, others: []string{"github.com/prometheus/client_golang"}, banned: []string{"os", "os/exec", "database/", "math/rand", "math/rand/"},
		why: "figures are read from rows and counted from what was committed; nothing decides by them",
	},
	"web/azure": {
		ours: []string{"engine", "engine/azure", "recurrence"}, banned: []string{"os", "os/exec", "database/", "math/rand", "math/rand/"},
		why: "the face answers in another service's words; it reads rows through ports, and who may ask is web's to say",
	},
	"cmd/almanac": {
		ours: []string{
			"recurrence", "deps", "engine", "engine/azure", "engine/crontab", "engine/invariant", "engine/spec", "engine/action", "engine/trace", "store", "web", "web/azure",
			"web/client", "web/metrics",
		},
		others: []string{
			"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/jedib0t/go-pretty/v6", "golang.org/x/term", "golang.org/x/sys",
		},
		banned: []string{"database/"},
		why:    "the command line wires the packages; logic belongs into one of them",
	},
	"bench": {ours: []string{"recurrence", "deps", "engine", "engine/spec", "engine/action", "store", "web"}, why: "bench measures what users run"},
	"bench/history": {
		ours: []string{"web"}, others: []string{"modernc.org/sqlite"},
		why: "its rows are written beside the store: nobody waits until millions of instances have run",
	},
	"bench/sim": {
		ours: []string{"engine/sim", "engine/fault"}, why: "the command of the simulator: seeds in, verdicts out",
	},
	"bench/tests": {
		ours: []string{"engine/fault/effort"}, why: "it runs the tests as whoever changes something does, and knows nothing of them",
	},
	"bench/torture": {
		ours: []string{"engine", "engine/spec", "store"}, others: []string{"golang.org/x/sys"},
		why: "the torture of the real binary knows it by its command line and its files",
	},
	"cmd/chronocheck": {
		others: []string{"modernc.org/sqlite", "go.yaml.in/yaml/v4"},
		why:    "a second opinion shares nothing with the first",
	},
	"examples": {ours: []string{"engine", "engine/spec", "recurrence", "deps"}, why: "the examples are held against the plan that they promise"},
}

// A sourcePackage is the parsed files of one folder that are not tests.
type sourcePackage struct {
	path  string // below the module: "engine/spec"
	files map[string]*ast.File
	set   *token.FileSet
}

// sourcePackages parses every package of the module.
func sourcePackages(t *testing.T) []sourcePackage {
	t.Helper()
	root := filepath.Join("..", "..")
	byFolder := map[string]*sourcePackage{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "testdata" || path != root && strings.HasPrefix(name, ".") || name == "bin" || name == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		p := byFolder[folder]
		if p == nil {
			p = &sourcePackage{path: folder, files: map[string]*ast.File{}, set: token.NewFileSet()}
			byFolder[folder] = p
		}
		file, err := parser.ParseFile(p.set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		p.files[name] = file
		return nil
	})
	require.NoError(t, err)
	packages := make([]sourcePackage, 0, len(byFolder))
	for _, p := range byFolder {
		packages = append(packages, *p)
	}
	slices.SortFunc(packages, func(a, b sourcePackage) int { return strings.Compare(a.path, b.path) })
	require.NotEmpty(t, packages)
	return packages
}

func TestEachPackageImportsOnlyWhatItsLayerAllows(t *testing.T) {
	for _, p := range sourcePackages(t) {
		l, known := layers[p.path]
		if !known {
			t.Errorf("package %s has no line in the table of layers: say what it may import, and why it is a package", p.path)
			continue
		}
		for name, file := range p.files {
			for _, i := range file.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				if verdict := l.judge(p.path, path); verdict != "" {
					t.Errorf("%s/%s imports %s: %s: %s", p.path, name, path, verdict, l.why)
				}
			}
		}
	}
}

// judge returns what is wrong with an import, "" when nothing is.
func (l layer) judge(from, path string) string {
	if ours, ok := strings.CutPrefix(path, module); ok {
		if slices.Contains(l.ours, ours) || strings.HasPrefix(ours, from+"/") && from != "engine" && from != "store" {
			return ""
		}
		return "not one of the packages that it may know"
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		for _, allowed := range l.others {
			if path == allowed || strings.HasPrefix(path, allowed+"/") {
				return ""
			}
		}
		return "not one of the modules that it may use"
	}
	for _, banned := range l.banned {
		if path == banned || strings.HasSuffix(banned, "/") && strings.HasPrefix(path, banned) {
			return "not its business"
		}
	}
	return ""
}

func TestTheTableOfLayersRefusesWhatItShould(t *testing.T) {
	for _, c := range []struct{ from, path string }{
		{"recurrence", "os"}, {"recurrence", "net/http"}, {"recurrence", module + "deps"}, {"deps", module + "recurrence"}, {"deps", "context"},
		{"engine", module + "store"}, {"engine", module + "engine/spec"}, {"engine", "database/sql"}, {"engine", "go.yaml.in/yaml/v4"},
		{"engine/action", module + "store"}, {"store", module + "web"}, {"web", module + "store"}, {"web", "database/sql"},
		{"cmd/almanac", "github.com/go-chi/chi/v5"},
	} {
		require.NotEmpty(t, layers[c.from].judge(c.from, c.path), "%s may import %s", c.from, c.path)
	}
	require.Empty(t, layers["web"].judge("web", "github.com/danielgtaylor/huma/v2/adapters/humachi"))
}

func TestEachPackageHasOnePackageComment(t *testing.T) {
	for _, p := range sourcePackages(t) {
		var with []string
		for name, file := range p.files {
			if file.Doc != nil && strings.TrimSpace(file.Doc.Text()) != "" {
				with = append(with, name)
			}
		}
		require.Len(t, with, 1, "package %s: exactly one file says what the package is for; these do: %v", p.path, with)
	}
}

// clocks are the functions that read the clock.
var clocks = []string{"Now", "Since", "Until", "Sleep"}

func TestTimeIsAnArgument(t *testing.T) {
	for _, p := range sourcePackages(t) {
		if !slices.Contains([]string{"recurrence", "deps", "store", "engine", "engine/azure", "web/azure"}, p.path) {
			continue
		}
		for name, file := range p.files {
			if p.path == "engine" && name == "engine.go" {
				continue // the loop owns the only clock
			}
			ast.Inspect(file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := selector.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, selector.Sel.Name) {
					t.Errorf("%s: time.%s: only the loop in engine/engine.go reads the clock; take the time as an argument",
						p.set.Position(n.Pos()), selector.Sel.Name)
				}
				return true
			})
		}
	}
}

func TestEachDirectDependencyHasItsReason(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	reasons, err := os.ReadFile(filepath.Join("..", "..", "docs", "dependencies.md"))
	require.NoError(t, err)
	direct := 0
	for line := range strings.Lines(string(mod)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "require ")
		words := strings.Fields(line)
		require.NotContains(t, []string{"replace", "exclude"}, first(words), "go install refuses a module with %q", line)
		if len(words) < 2 || !strings.Contains(words[0], ".") || !strings.HasPrefix(words[1], "v") || strings.Contains(line, "// indirect") {
			continue
		}
		direct++
		require.Contains(t, string(reasons), "| `"+words[0]+"` |", "docs/dependencies.md does not say what %s is for and why it", words[0])
	}
	require.NotZero(t, direct, "go.mod names no direct dependency")
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
