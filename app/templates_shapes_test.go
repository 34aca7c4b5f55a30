package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// serve starts a server of that handler, which ends with the test, and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func sendJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // who has gone needs none
}

func TestFetchPagesTemplate(t *testing.T) {
	dir := t.TempDir()
	a, _ := withAll(t, dir)
	var asked []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		first, size := 0, 100
		if r.URL.Query().Get("page") == "2" {
			first, size = 100, 20
		}
		page := make([]record, size)
		for i := range page {
			page[i] = record{"name": fmt.Sprint("v", first+i), "commit": record{"sha": "c0ffee"}, "zipball_url": "zip"}
		}
		sendJSON(w, page)
	})
	require.Equal(t, record{"count": 120, "path": "tags.csv"}, runTemplate(t, a, "fetch-pages", record{"url": url}, nil))
	require.Equal(t, []string{"per_page=100", "page=2&per_page=100"}, asked)
	text, err := os.ReadFile(filepath.Join(dir, "tags.csv"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 121)
	require.Equal(t, []string{"name,commit,archive", "v119,c0ffee,zip"}, []string{strings.TrimSpace(lines[0]), lines[120]})
}

func TestPollUntilReadyTemplate(t *testing.T) {
	a, _ := withAll(t, t.TempDir())
	states := []record{{"status": "queued"}, {"status": "running"}, {"status": "done", "result": record{"rows": 7}}}
	looks := 0
	mux := http.NewServeMux()
	url := serve(t, mux.ServeHTTP)
	mux.HandleFunc("POST /jobs", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != `{"report":"sales"}` {
			w.WriteHeader(http.StatusBadRequest)
		}
		sendJSON(w, record{"status_url": url + "/jobs/1"})
	})
	mux.HandleFunc("GET /jobs/1", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, states[min(looks, len(states)-1)])
		looks++
	})
	quick := func(def *workflow.Definition) { nodeOf(def, "look").Config["pages"].(record)["delayMs"] = 1 }
	require.Equal(t, record{"result": record{"rows": 7}}, runTemplate(t, a, "poll-until-ready", record{"url": url + "/jobs"}, quick))
	require.Equal(t, 3, looks)

	states = []record{{"status": "failed"}}
	def, err := FindTemplate("poll-until-ready")
	require.NoError(t, err)
	ended, err := a.Execute(t.Context(), def, run.Request{Inputs: record{"url": url + "/jobs"}}, nil)
	require.NoError(t, err)
	require.Equal(t, engine.StatusFailed, ended.Status())
	require.ErrorContains(t, ended.Err(), "the job is failed")
}

// nodeOf returns the node of that id.
func nodeOf(def *workflow.Definition, id string) *workflow.Node {
	for i := range def.Nodes {
		if def.Nodes[i].ID == id {
			return &def.Nodes[i]
		}
	}
	return nil
}

func TestBranchAndNotifyTemplate(t *testing.T) {
	a, letters := withAll(t, t.TempDir())
	service := newStub(t, 200)
	const answer = `{"page":{"name":"Shop","url":"https://status.example.com"},"status":{"indicator":%q,"description":"Payments are slow"}}`
	service.answer.Store(fmt.Sprintf(answer, "none"))
	require.Empty(t, runTemplate(t, a, "branch-and-notify", record{"url": service.URL}, nil))
	_, text := letters.taken()
	require.Empty(t, text)

	service.answer.Store(fmt.Sprintf(answer, "minor"))
	require.Equal(t, record{"sent": true}, runTemplate(t, a, "branch-and-notify", record{"url": service.URL}, nil))
	_, text = letters.taken()
	require.Contains(t, text, "Shop says: Payments are slow\r\n\r\nhttps://status.example.com")
}

func TestScrapeTemplate(t *testing.T) {
	dir := t.TempDir()
	a, _ := withAll(t, dir)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<table><tr class="athing"><td class="titleline"><a href="/item?id=1">One</a> <a href="x">no</a></td></tr>
			<tr class="other"><td>-</td></tr><tr class="athing"><td class="titleline"><a href="https://example.com/2">=Two</a></td></tr></table>`)
	})
	require.Equal(t, record{
		"headlines": []any{record{"title": "One", "link": url + "/item?id=1"}, record{"title": "=Two", "link": "https://example.com/2"}},
		"path":      "headlines.csv",
	}, runTemplate(t, a, "scrape", record{"url": url + "/"}, nil))
	text, err := os.ReadFile(filepath.Join(dir, "headlines.csv"))
	require.NoError(t, err)
	require.Equal(t, "title,link\nOne,"+url+"/item?id=1\n'=Two,https://example.com/2\n", strings.ReplaceAll(string(text), "\r", ""))
}

// storedTemplate returns a function that runs a template again and again, as if its trigger
// had fired; it is stored, so it remembers.
func storedTemplate(t *testing.T, a *App, name, triggerID string) func(inputs record) record {
	t.Helper()
	def, err := FindTemplate(name)
	require.NoError(t, err)
	_, err = a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	return func(inputs record) record {
		ended, err := a.ExecuteStored(t.Context(), name, run.Request{Trigger: triggerID, Payload: record{}, Inputs: inputs})
		require.NoError(t, err)
		require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
		return ended.Outputs()
	}
}

func TestOnlyNewTemplate(t *testing.T) {
	dir := t.TempDir()
	a, _ := withAll(t, dir)
	service := newStub(t, 200)
	one, two := record{"id": 1, "number": 11, "title": "One", "html_url": "u1"}, record{"id": 2, "number": 12, "title": "Two", "html_url": "u2"}
	look := storedTemplate(t, a, "only-new", "hourly")
	for _, step := range []struct{ list, fresh []any }{{[]any{one}, []any{one}}, {[]any{two, one}, []any{two}}, {[]any{two}, []any{}}} {
		text, err := json.Marshal(step.list)
		require.NoError(t, err)
		service.answer.Store(string(text))
		require.Equal(t, record{"new": step.fresh}, look(record{"url": service.URL}))
	}
	text, err := os.ReadFile(filepath.Join(dir, "issues.csv"))
	require.NoError(t, err)
	require.Equal(t, "number,title,html_url\n11,One,u1\n12,Two,u2\n", strings.ReplaceAll(string(text), "\r", ""))
}

func TestCompareDailyTemplate(t *testing.T) {
	a, _ := withAll(t, t.TempDir())
	service := newStub(t, 200)
	look := storedTemplate(t, a, "compare-daily", "daily")
	repo := func(name string, stars int) record { return record{"name": name, "stars": stars, "issues": 0} }
	for _, step := range []struct {
		answer string
		want   record
	}{
		{
			`[{"name":"go","stargazers_count":1,"open_issues_count":0,"size":3},{"name":"old","stargazers_count":9,"open_issues_count":0}]`,
			record{"added": []any{repo("go", 1), repo("old", 9)}, "removed": []any{}, "changed": []any{}},
		},
		{
			`[{"name":"go","stargazers_count":2,"open_issues_count":0,"size":4},{"name":"new","stargazers_count":0,"open_issues_count":0}]`,
			record{
				"added": []any{repo("new", 0)}, "removed": []any{repo("old", 9)},
				"changed": []any{record{"key": "go", "before": repo("go", 1), "after": repo("go", 2)}},
			},
		},
	} {
		service.answer.Store(step.answer)
		require.Equal(t, step.want, look(record{"url": service.URL}))
	}
}

// asks runs a statement, and returns the rows that it gives.
func asks(t *testing.T, a *App, typ, statement string) any {
	t.Helper()
	def := parse(t, fmt.Sprintf(`{"id":"asks","nodes":[{"id":"sql","type":%q,"config":{"credential":"sqlite:main","sql":%q}},{"id":"out","type":"io.output","config":{"name":"out"}}],
		"connections":[{"fromNodeId":"sql","fromPort":%q,"toNodeId":"out","toPort":"value"}]}`, typ, statement, map[string]string{"sql.query": "rows", "sql.exec": "affected"}[typ]))
	ended, err := a.Execute(t.Context(), def, run.Request{}, nil)
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended.Outputs()["out"]
}

func TestSyncListsTemplate(t *testing.T) {
	a, _ := withAll(t, t.TempDir())
	asks(t, a, "sql.exec", "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT)")
	asks(t, a, "sql.exec", "INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com'), (2, 'Grace', 'old@example.com'), (3, 'Gone', 'gone@example.com')")
	service := newStub(t, 200)
	service.answer.Store(`[{"id":1,"name":"Ada","email":"ada@example.com","phone":"1"},{"id":2,"name":"Grace","email":"grace@example.com"},{"id":4,"name":"Alan","email":"alan@example.com"}]`)
	person := func(id int, name, email string) record {
		return record{"id": id, "name": name, "email": email + "@example.com"}
	}
	outputs := runTemplate(t, a, "sync-lists", record{"url": service.URL}, nil)
	require.Equal(t, record{
		"added": []any{person(4, "Alan", "alan")}, "removed": []any{person(3, "Gone", "gone")},
		"changed": []any{record{"key": 2, "before": person(2, "Grace", "old"), "after": person(2, "Grace", "grace")}},
	}, outputs)
	require.Equal(t, []any{person(1, "Ada", "ada"), person(2, "Grace", "grace"), person(4, "Alan", "alan")}, asks(t, a, "sql.query", "SELECT * FROM customers ORDER BY id"))
	require.Equal(t, record{"added": []any{}, "removed": []any{}, "changed": []any{}}, runTemplate(t, a, "sync-lists", record{"url": service.URL}, nil))
}

func TestUploadFilesTemplate(t *testing.T) {
	dir := t.TempDir()
	a, _ := withAll(t, dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "outbox"), 0o700))
	for name, text := range map[string]string{"a.csv": "a\n1\n", "b.csv": "b\n2\n", "c.txt": "no"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "outbox", name), []byte(text), 0o600))
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got := record{"from": r.FormValue("from")}
		for _, part := range r.MultipartForm.File["file"] {
			f, err := part.Open()
			if err != nil {
				continue
			}
			text, _ := io.ReadAll(f)
			got[part.Filename] = string(text)
		}
		sendJSON(w, got)
	})
	require.Equal(t, record{"answer": record{"from": "svc", "a.csv": "a\n1\n", "b.csv": "b\n2\n"}}, runTemplate(t, a, "upload-files", record{"url": url}, nil))
}

func TestBatchInsertTemplate(t *testing.T) {
	a, _ := withAll(t, t.TempDir())
	require.Equal(t, record{"rows": 3}, runTemplate(t, a, "batch-insert", nil, nil))
	many := "region,product,amount\n" + strings.Repeat("East,Tea,1.5\n", 2500)
	require.Equal(t, record{"rows": 2500}, runTemplate(t, a, "batch-insert", record{"csv": many}, nil))
	require.Equal(t, []any{record{"n": 2503, "total": 3992.75}}, asks(t, a, "sql.query", "SELECT count(*) AS n, sum(amount) AS total FROM sales"))
}
