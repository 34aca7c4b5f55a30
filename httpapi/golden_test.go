package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/svcflow/svc/engine/enginetest/golden"
)

var update = flag.Bool("update", false, "write the answers into testdata")

// TestExchanges sends the requests of each file of testdata, in order, to a new service, and
// compares the answers. Requests have the key, and those with a body a content type, unless they
// set these headers.
func TestExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			s := newService(t, nil)
			var got txtar.Archive
			got.Comment = archive.Comment
			var runID string
			for _, f := range archive.Files {
				if f.Name == "request" {
					got.Files = append(got.Files, f, txtar.File{Name: "response", Data: exchange(t, s, f.Data, &runID)})
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(name, txtar.Format(&got), 0o644))
				return
			}
			golden.Match(t, name, txtar.Format(archive), txtar.Format(&got))
		})
	}
}

// exchange sends the request in text: a line with method and target, headers, an empty line and a
// body. RUN is replaced by the id of the last run that was started.
func exchange(t *testing.T, s service, text []byte, runID *string) []byte {
	text = bytes.ReplaceAll(text, []byte("RUN"), []byte(*runID))
	head, body, _ := strings.Cut(strings.TrimSpace(string(text)), "\n\n")
	lines := strings.Split(head, "\n")
	method, target, ok := strings.Cut(lines[0], " ")
	require.True(t, ok, lines[0])
	var headers []string
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		headers = append(headers, name, strings.TrimSpace(value))
	}
	w := s.do(method, target, body, headers...)
	if w.Code == http.StatusAccepted && w.Body.Len() > 0 {
		*runID = requireJSON(t, w, w.Code).(map[string]any)["runId"].(string)
	}
	return show(w)
}

// show formats an answer, without headers that are constant or vary.
func show(w *httptest.ResponseRecorder) []byte {
	var b bytes.Buffer
	b.WriteString(strconv.Itoa(w.Code) + " " + http.StatusText(w.Code) + "\n")
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		switch name {
		case "Cache-Control", "Content-Length", "X-Content-Type-Options", "X-Request-Id":
		default:
			b.WriteString(name + ": " + ids.ReplaceAllString(w.Header().Get(name), "RUN") + "\n")
		}
	}
	var body bytes.Buffer
	switch {
	case w.Header().Get("Content-Type") == "text/event-stream":
		body.Write(w.Body.Bytes())
	case json.Indent(&body, w.Body.Bytes(), "", "  ") != nil:
		return b.Bytes()
	}
	b.WriteString("\n")
	b.Write(changing.ReplaceAll(body.Bytes(), []byte(`"$1":$2"..."`)))
	return b.Bytes()
}

var (
	changing = regexp.MustCompile(`"(runId|time|startedAt|finishedAt|durationMs|createdAt|updatedAt|resumedFrom)":( ?)("[^"]*"|[0-9.]+)`)
	ids      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)
