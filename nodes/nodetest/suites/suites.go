// Package suites names the conformance suites of others that Svc is held against. They
// are never part of the repository: `make conformance` takes them from the folder that
// SVC_TEST_DATA names, or from their authors, and knows them by their checksums.
package suites

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Variable names the environment variable with the folder of the suites.
const Variable = "SVC_TEST_DATA"

// Suite is one file of a suite.
type Suite struct {
	Path   string // in the folder, with slashes
	URL    string // where its authors keep it, at one commit
	SHA256 string
}

const (
	github   = "https://raw.githubusercontent.com/"
	jsonpath = github + "jsonpath-standard/jsonpath-compliance-test-suite/7be7c1fc28057c91e8eefaf197060fba7ed43acd/"
	jq       = github + "jqlang/jq/579e6f76cffd7643ba4002a2c3618a5ea710589a/tests/"
	twitter  = github + "twitter/twitter-text/30e2430d90cff3b46393ea54caf511441983c260/conformance/"
	xdk      = github + "xdevplatform/xdk/84c26540df30c0b798e50e34151c56d5d262ba1c/specs/"
)

// All returns every suite: JSONPath's (BSD-2-Clause), jq's (MIT), twitter-text's
// (Apache-2.0), and the description of the microblogging network's API.
func All() []Suite {
	return []Suite{
		{"jsonpath-cts/cts.json", jsonpath + "cts.json", "a85db53fba1f675be48b534baec5a754dc685ad08c550d8927f609c7708f365a"},
		{"jq/base64.test", jq + "base64.test", "aec7a4812b4bdf937e77ba1261c5d51ece66308258d60ca2227b209a4398a64d"},
		{"jq/jq.test", jq + "jq.test", "329689763b651096989bd8260b643731083fc5fd17f6bd7834d158713f738cbd"},
		{"jq/man.test", jq + "man.test", "3c25698e94d5199c75b784cc361cda9c6775389eb61f8f4fb05fde1a757ae3f9"},
		{"jq/manonig.test", jq + "manonig.test", "62738dd27ce0dbc4f21296e48270f20024274631cae4b9ffe85a0eecaa53af7f"},
		{"jq/onig.test", jq + "onig.test", "e82dab356709d4a5e4dfd8c71aced12ed1f42eb23208bac0eaf5e3f05bedef05"},
		{"jq/optional.test", jq + "optional.test", "06d7249e3d9e09d572995e66276cd65f2da6f907a15e2f9cb012e672598ac5b9"},
		{"jq/uri.test", jq + "uri.test", "530958297b8eac04093e742756ab0ecd57de4364a38ac69fa7fed693c381ec39"},
		{"twitter-text/validate.yml", twitter + "validate.yml", "29fa1be663676f3d0bb0a67f393b32c15d92c5dd10db9be401bf7708d7c5b703"},
		{"x-openapi.json", xdk + "openapi.json", "ddaf2f44b19c63dc5550811bc2df893d6dafb44049c9064c8a4161e0da47c9b6"},
	}
}

// Path returns where a file of a suite is. It skips the test if no suites are at hand,
// which `make test` tells; where they are, a file that is missing fails it.
func Path(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skip("make conformance")
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	require.FileExists(t, path)
	return path
}

// Read reads a file of a suite; see [Path].
func Read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(Path(t, name))
	require.NoError(t, err)
	return text
}
