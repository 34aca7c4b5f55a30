// Package cmd_test checks the architecture, which is which package may import which, and the
// documentation.
package cmd_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/svcflow/svc/"

// TestLayers proves that imports point down only. Each rule says what packages
// must not depend on, directly or through others, and why.
func TestLayers(t *testing.T) {
	rules := []struct {
		packages string
		not      []string
		why      string
	}{
		{"engine/value", []string{module}, "values are the bottom: they know nothing else of the project"},
		{"engine/durable", []string{module}, "replacing a file does not depend on its content"},
		{"engine/internal/redact", []string{module + "engine/node", module + "engine/workflow", module + "nodes", module + "store", module + "credentials"}, "redaction knows values alone"},
		{"engine/workflow", []string{module + "engine/node", module + "nodes", module + "store", module + "credentials"}, "documents know no node types"},
		{"engine/node", []string{module + "engine/workflow", module + "nodes", module + "store", module + "credentials"}, "plugin authors need nothing but values"},
		{"engine/layout/geom", []string{module}, "places know nothing of what lies there"},
		{"engine/layout/ways", []string{module + "engine/node", module + "engine/layout/cards", module + "nodes", module + "ui"}, "ways lead around boxes, whatever these are"},
		{"engine/layout", []string{module + "engine/node", module + "engine/layout/cards", module + "nodes", module + "ui"}, "layout knows boxes and wires, and neither node types nor the editor"},
		{"engine/layout/cards", []string{module + "ui", module + "app", module + "nodes", "fyne.io"}, "a server lays out, too"},
		{"engine", []string{module + "nodes", module + "credentials", module + "store", module + "app", "net/http", "fyne.io"}, "the engine is headless and knows no plugin"},
		{"engine/expr", []string{module + "engine/run", module + "nodes", module + "credentials", module + "store", module + "app", "net/http", "fyne.io"}, "expressions need values and what a node declares, and no plugin"},
		{"engine/run", []string{module + "nodes", module + "credentials", module + "store", module + "app", "net/http", "fyne.io"}, "the words for a run belong to no store and no face"},
		{"engine/fold", []string{module + "nodes", module + "credentials", module + "store", module + "app", module + "httpapi", module + "ui", "net/http", "fyne.io"}, "the state of a run is made of its events alone"},
		{"credentials/...", []string{module + "engine/node", module + "engine/workflow", module + "nodes", module + "store", module + "app", "fyne.io"}, "secrets know nothing but references"},
		{"nodes/...", []string{module + "store", module + "app", module + "httpapi", "fyne.io"}, "nodes are plugins; they see what engine/node offers"},
		{"nodes/control", []string{module + "engine/workflow"}, "bodies reach the control nodes through node.Body"},
		{"engine/...", []string{module + "nodes", module + "credentials", module + "store", module + "app", module + "httpapi", module + "ui", module + "cmd", "fyne.io"}, "the engine and its parts are the bottom of the house"},
		{"store/...", []string{module + "nodes", module + "credentials", module + "app", module + "httpapi", module + "ui", module + "cmd", "fyne.io"}, "stores keep documents and judge none"},
		{"store", []string{module + "store/", "net/http"}, "the interfaces of stores know no store"},
		{"store/filestore", []string{module + "store/runlog", module + "store/statelog", module + "store/memstore", "net/http"}, "each store stands alone"},
		{"store/statelog", []string{module + "store/runlog", module + "store/filestore", module + "store/memstore", "net/http"}, "each store stands alone"},
		{"store/runlog", []string{module + "store/filestore", module + "store/statelog", module + "store/memstore", "net/http"}, "each store stands alone"},
		{"store/memstore", []string{module + "store/filestore", module + "store/statelog", module + "store/runlog", module + "store/internal/vfs", "net/http"}, "what is in memory touches no disk"},
		{"app", []string{module + "httpapi", module + "ui", "fyne.io"}, "the app has no face"},
		{"ui/documents", []string{module + "nodes", module + "store", module + "credentials", module + "app", module + "httpapi", "fyne.io"}, "documents are kept without a window"},
		{"ui/workspace", []string{module + "nodes", module + "store", module + "credentials", module + "app", module + "httpapi", "fyne.io"}, "what becomes of a user's work is settled and tested without a window"},
		{"ui/complete", []string{module + "nodes", module + "ui", module + "app", "fyne.io"}, "how a text may go on is found without a window, and for any node"},
		{"ui/job", []string{module, "fyne.io"}, "what is slow knows nobody"},
		{"ui/editor/...", []string{module + "nodes", module + "store", module + "credentials", module + "app", module + "httpapi", "fyne.io"}, "the editor's state needs no window"},
		{"ui/...", []string{"fyne.io/fyne/v2/app", module + "httpapi", module + "credentials/client"}, "only the desktop program opens windows"},
		{"httpapi", []string{module + "ui", "fyne.io", "github.com/zalando/go-keyring"}, "the server runs without a desktop"},
		{"httpapi/internal/...", []string{module + "ui", "fyne.io", "github.com/zalando/go-keyring"}, "the parts of the server run without a desktop"},
		{"httpapi/client", []string{module + "nodes", module + "store", module + "credentials/server", module + "credentials/client", module + "credentials/oauth", module + "app", "github.com/zalando/go-keyring"}, "programs that talk to a server link no server"},
		{"credentials/oauth", []string{"github.com/zalando/go-keyring", "github.com/openbao"}, "a login stores nothing"},
		{"cmd/svc-desktop/internal/...", []string{"fyne.io/fyne/v2/app"}, "what the window works with opens none"},
		{"app/internal/...", []string{module + "nodes", module + "credentials", module + "httpapi", module + "ui", "fyne.io"}, "run slots and caches know nothing of what they are for"},
		{"app/runs", []string{module + "nodes", module + "credentials", module + "httpapi", module + "ui", "fyne.io"}, "backends of runs know no plugin and no caller of the app"},
		{"app/localruns", []string{module + "nodes", module + "credentials", module + "httpapi", module + "ui", "fyne.io"}, "runs are driven without knowing what their nodes do"},
		{"app/cluster", []string{module + "nodes", module + "httpapi", module + "ui", "fyne.io"}, "runs are driven without an interface for users"},
		{"app/...", []string{module + "httpapi", module + "ui", module + "cmd", "fyne.io"}, "no part of the app has a face"},
		{"httpapi/...", []string{module + "ui", module + "cmd", "fyne.io", "github.com/zalando/go-keyring"}, "no part of the server needs a desktop"},
		{"cmd/internal/...", []string{module + "ui", "fyne.io"}, "what all programs share opens no window"},
		{"cmd/svc/...", []string{module + "ui", "fyne.io"}, "no part of the headless binary opens a window"},
		{"cmd/svc-cluster/...", []string{module + "ui", "fyne.io"}, "no part of a cluster member opens a window"},
		{"cmd/svc-sim", []string{module + "ui", module + "app", module + "httpapi", module + "store", "fyne.io"}, "simulators of services know no server of ours"},
		{"cmd/svc", []string{module + "ui", "fyne.io", "github.com/go-gl", "github.com/zalando/go-keyring"}, "the headless binary links no window, GL or keyring"},
		{"cmd/svc", []string{module + "app/cluster", "go.temporal.io"}, "what runs on one machine links nothing of Temporal"},
		{"cmd/svc-cluster", []string{module + "ui", "fyne.io", "github.com/go-gl", "github.com/zalando/go-keyring", "go.temporal.io/server"}, "a member of a cluster has no window, and brings no server of others"},
		{"cmd/svc-desktop", []string{module + "app/cluster", "go.temporal.io"}, "what runs on one machine links nothing of Temporal"},
	}
	covered := map[string]bool{module + "cmd": true} // has tests only
	for _, rule := range rules {
		t.Run(rule.packages, func(t *testing.T) {
			for pkg, deps := range dependencies(t, rule.packages) {
				covered[pkg] = true
				for _, dep := range deps {
					for _, banned := range rule.not {
						if dep != pkg && under(dep, banned) {
							t.Errorf("%s depends on %s: %s", pkg, dep, rule.why)
						}
					}
				}
			}
		})
	}
	for pkg := range listed(t, "...", "Imports") {
		require.True(t, under(pkg, module+"cmd/svc-desktop") || covered[pkg], "no rule covers %s: say in this test what it must not import", pkg)
	}
}

// TestLayersOfTheWindow proves that imports within ui point down only: each package belongs to
// one layer and imports only packages of the layers before it.
func TestLayersOfTheWindow(t *testing.T) {
	layers := []string{ // packages below ui
		"complete documents job poster theme wording", // know no widgets
		"kit",
		"command",
		"editor/doc",
		"editor/scene",
		"colors",
		"editor/board",
		"runview/record",
		"runview/internal/link",
		"runview/valueview",
		"canvas",
		"picture",
		"accounts inspector outline palette runview start", // views know each other through the window only
		"workspace hosts runs editing commands",            // these know each other by interfaces only
		"ask",
		".",
	}
	layer := map[string]int{}
	for i, l := range layers {
		for name := range strings.FieldsSeq(l) {
			layer[strings.TrimSuffix(module+"ui/"+name, "/.")] = i
		}
	}
	seen := 0
	for pkg, imports := range listed(t, "ui/...", "Imports") {
		if under(pkg, module+"ui/uitest") {
			continue // for tests only
		}
		at, known := layer[pkg]
		require.True(t, known, "%s has no layer: say in this test where it belongs", pkg)
		seen++
		for _, imported := range imports {
			if below, ours := layer[imported]; ours && below >= at {
				t.Errorf("%s imports %s, which is not below it", pkg, imported)
			}
		}
	}
	require.Len(t, layer, seen, "each room of the table is there")
}

// TestHeavyLibraries proves that one package imports each large library, so that only this
// package has to change to replace it.
func TestHeavyLibraries(t *testing.T) {
	owners := map[string]string{ // or several, with spaces between them
		"github.com/jackc/pgx/v5":             "store/postgres nodes/sql cmd/svc-cluster/internal/clusterdb",
		"github.com/pressly/goose/v3":         "store/postgres",
		"go.temporal.io":                      "app/cluster",
		"go.opentelemetry.io/otel/sdk":        "httpapi/telemetry",
		"go.opentelemetry.io/otel/exporters":  "httpapi/telemetry",
		"github.com/openbao/openbao/api":      "credentials/server",
		"github.com/zalando/go-keyring":       "credentials/client",
		"github.com/pkg/browser":              "credentials/oauth",
		"github.com/itchyny/gojq":             "nodes/jsonnode",
		"github.com/expr-lang/expr":           "engine/expr",
		"modernc.org/quickjs":                 "nodes/code",
		"github.com/go-jose/go-jose":          "nodes/crypto",
		"github.com/JohannesKaufmann":         "nodes/data",
		"github.com/yuin/goldmark":            "nodes/data",
		"github.com/pelletier/go-toml":        "nodes/data",
		"github.com/xuri/excelize":            "nodes/data",
		"github.com/teambition/rrule-go":      "nodes/data/calendar",
		"github.com/gabriel-vasile/mimetype":  "nodes/data",
		"modernc.org/sqlite":                  "nodes/sql",
		"github.com/go-sql-driver/mysql":      "nodes/sql",
		"codeberg.org/go-pdf/fpdf":            "ui/picture",
		"github.com/gomodule/redigo":          "nodes/redis",
		"github.com/prometheus/client_golang": "httpapi",
		"github.com/prometheus/procfs":        "cmd/internal/serving",
		"github.com/alecthomas/kong":          "cmd",
		"fyne.io/fyne/v2/app":                 "cmd/svc-desktop",
		module + "credentials/client":         "cmd/svc-desktop",
	}
	seen := map[string]bool{}
	for pkg, imports := range listed(t, "...", "Imports") {
		for _, imported := range imports {
			for library, owner := range owners {
				if !under(imported, library) || under(pkg, library) {
					continue
				}
				seen[library] = true
				owned := slices.ContainsFunc(strings.Fields(owner), func(owner string) bool { return under(pkg, module+owner) })
				require.True(t, owned, "%s imports %s, which belongs to %s", pkg, imported, owner)
			}
		}
	}
	for library := range owners {
		require.True(t, seen[library], "nobody imports %s", library)
	}
}

// TestOnlyTheDesktopHasAWindow proves that no other package links a library for windows or for
// the keyring, directly or through others.
func TestOnlyTheDesktopHasAWindow(t *testing.T) {
	const desktop = module + "cmd/svc-desktop"
	found := false
	for pkg, deps := range dependencies(t, "...") {
		for _, banned := range []string{"fyne.io/fyne/v2/app", "github.com/go-gl", module + "credentials/client"} {
			has := slices.ContainsFunc(deps, func(dep string) bool { return dep != pkg && under(dep, banned) })
			found = found || has
			if has && !under(pkg, desktop) && !under(pkg, banned) {
				t.Errorf("%s depends on %s: only cmd/svc-desktop may", pkg, banned)
			}
		}
	}
	require.True(t, found, "the desktop was not looked at")
}

// pluginOf returns the folder of a plugin that a package below nodes belongs to.
func pluginOf(pkg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, module+"nodes/"), "/")
	return name
}

// TestSiblings proves that plugins do not import each other. The packages below a plugin are
// its own.
func TestSiblings(t *testing.T) {
	shared := []string{module + "nodes/service", module + "nodes/zone", module + "nodes/span", module + "nodes/apart", module + "nodes/data/pdf", module + "nodes/folder", module + "nodes/media", module + "nodes/htmltext", module + "nodes/charset", module + "nodes/urlform", module + "nodes/reading", module + "nodes/data/feed", module + "nodes/data/xmltree", module + "nodes/eml", module + "nodes/nodetest", module + "nodes/nodetest/suites"}
	for pkg, deps := range dependencies(t, "nodes/...") {
		if pkg == module+"nodes" {
			continue // it puts the plugins together
		}
		for _, dep := range deps {
			sibling := strings.HasPrefix(dep, module+"nodes/") && pluginOf(dep) != pluginOf(pkg)
			isShared := slices.ContainsFunc(shared, func(pkg string) bool { return under(dep, pkg) })
			require.False(t, sibling && !isShared, "%s depends on %s: plugins do not know each other", pkg, dep)
		}
	}
}

// TestSimulatorsAreForTests proves that no program but svc-sim contains a simulated
// network.
func TestSimulatorsAreForTests(t *testing.T) {
	const simulators = module + "nodes/sim"
	for pkg, deps := range dependencies(t, "...") {
		if pkg != simulators && pkg != module+"cmd/svc-sim" {
			require.NotContains(t, deps, simulators, pkg)
		}
	}
}

// TestHelpersAreForTests proves that no program contains helpers of tests.
func TestHelpersAreForTests(t *testing.T) {
	for pkg, deps := range dependencies(t, "...") {
		for _, helpers := range []string{module + "ui/uitest", module + "store/postgres/postgrestest", module + "nodes/nodetest/sample"} {
			has := slices.ContainsFunc(deps, func(dep string) bool { return under(dep, helpers) })
			require.False(t, has && !under(pkg, helpers), "%s has %s", pkg, helpers)
		}
	}
}

// dependencies returns what the packages below pattern depend on, by package.
func dependencies(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	return listed(t, pattern, "Deps")
}

// listed returns a list field of `go list` for the packages below pattern. The tag ci builds the
// desktop without a C compiler.
func listed(t *testing.T, pattern, list string) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "ci", "-f", `{{.ImportPath}} {{join .`+list+` " "}}`, module+pattern)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	deps := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		deps[fields[0]] = fields[1:]
	}
	require.NotEmpty(t, deps)
	return deps
}

// under reports whether dep is the package or lies below the folder banned.
func under(dep, banned string) bool {
	return dep == banned || strings.HasPrefix(dep, strings.TrimSuffix(banned, "/")+"/")
}
