package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/httpapi/page"
)

func TestThePageIsWholeAndLoadsNothing(t *testing.T) {
	p, err := page.New()
	require.NoError(t, err)
	html := string(p.HTML)
	library, err := os.ReadFile("vendor/marked.js")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(html, string(library)))
	require.Equal(t, 1, strings.Count(html, "</script>"), "nothing in the library ends it early")
	html = strings.Replace(html, string(library), "", 1) // its comments contain addresses
	require.NotContains(t, html, "{{")
	require.Equal(t, 1, strings.Count(html, "</script>"), "nothing in the script ends it early")
	require.Equal(t, 1, strings.Count(html, "</style>"))
	for _, link := range regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?([^"' >)]+)`).FindAllStringSubmatch(html, -1) {
		require.Regexp(t, `^(#|data:,)`, link[1], "%s", link[0])
	}
	require.NotRegexp(t, `innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\bparse\(.*text/html|marked\.(parse|marked)|localStorage|document\.cookie|indexedDB`, html)
	require.NotRegexp(t, `https?://(?:www\.w3\.org/2000/svg)?[a-z]`, strings.ReplaceAll(html, "http://www.w3.org/2000/svg", ""))
}

func TestEveryPartOfTheScriptIsInThePage(t *testing.T) {
	p, err := page.New()
	require.NoError(t, err)
	parts := os.DirFS("js")
	names, err := fs.Glob(parts, "*.js")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := fs.ReadFile(parts, name)
		require.NoError(t, err)
		require.Contains(t, string(p.HTML), string(text), name)
	}
}

// TestTheFirstViewIsSmall checks the compressed size of the page, for slow connections.
func TestTheFirstViewIsSmall(t *testing.T) {
	p, err := page.New()
	require.NoError(t, err)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(p.HTML)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	t.Logf("%d bytes, gzipped %d", len(p.HTML), packed.Len())
	require.Less(t, packed.Len(), 60_000)
}

func TestThePolicyAllowsNoOtherScript(t *testing.T) {
	p, err := page.New()
	require.NoError(t, err)
	require.Regexp(t, `^default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-[A-Za-z0-9+/]{43}='; connect-src 'self';`, p.Policy)
	require.NotContains(t, p.Policy, "unsafe")
}

// TestThePageKnowsTheKindsOfCredentials checks that the account form has the fields of each kind of
// credential.
func TestThePageKnowsTheKindsOfCredentials(t *testing.T) {
	text, err := os.ReadFile("js/accounts.js")
	require.NoError(t, err)
	match := regexp.MustCompile(`(?s)const kindFields = (\{.*?\n\});`).FindSubmatch(text)
	require.NotNil(t, match)
	var got map[credentials.Kind][]string
	require.NoError(t, json.Unmarshal(match[1], &got))
	want := map[credentials.Kind][]string{}
	for _, kind := range credentials.Kinds() {
		for _, field := range kind.Fields() {
			name := field.Name
			if field.Secret {
				name += "*"
			}
			if field.Optional {
				name += "?"
			}
			want[kind] = append(want[kind], name)
		}
	}
	require.Equal(t, want, got)
}
