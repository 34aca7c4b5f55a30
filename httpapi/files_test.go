package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// filed makes a service and returns the directory of its files.
func filed(t *testing.T, change func(*httpapi.Config)) (service, string) {
	t.Helper()
	var dir string
	s := newService(t, func(c *httpapi.Config) {
		dir = filepath.Join(c.DataDir, "files")
		if change != nil {
			change(c)
		}
	})
	return s, dir
}

// raw returns headers for a body that is not JSON.
func raw(more ...string) []string { return append([]string{"Content-Type", "video/mp4"}, more...) }

func TestFiles(t *testing.T) {
	s, dir := filed(t, nil)
	require.JSONEq(t, `{"items":[]}`, s.do("GET", "/files", "").Body.String())
	requireProblem(t, s.do("GET", "/files/clips%2Fa.mp4", ""), 404, "not_found")

	w := s.do("PUT", "/files/clips%2Fa.mp4", "0123456789", raw("If-None-Match", "*")...)
	require.Equal(t, 201, w.Code, w.Body)
	require.Equal(t, "/files/clips%2Fa.mp4", w.Header().Get("Location"))
	first := w.Header().Get("ETag")
	text, err := os.ReadFile(filepath.Join(dir, "clips", "a.mp4"))
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(text))
	requireProblem(t, s.do("PUT", "/files/clips%2Fa.mp4", "x", raw("If-None-Match", "*")...), 412, "precondition_failed")

	w = s.do("PUT", "/files/clips%2Fa.mp4", "abcdefghij", raw("If-Match", first)...)
	require.Equal(t, 200, w.Code, w.Body)
	second := w.Header().Get("ETag")
	require.NotEqual(t, first, second, "what has the same size is still another one")
	requireProblem(t, s.do("DELETE", "/files/clips%2Fa.mp4", "", "If-Match", first), 412, "precondition_failed")
	requireProblem(t, s.do("DELETE", "/files/clips", ""), 409, "conflict")
	requireProblem(t, s.do("PUT", "/files/clips", "x", raw()...), 400, "invalid_parameter")
	requireProblem(t, s.do("PUT", "/files/clips%2Fa.mp4%2Fb", "x", raw()...), 409, "conflict")
	requireProblem(t, s.do("GET", "/files/clips%2Fa.mp4%2Fb", ""), 404, "not_found")

	requireAnswer(t, s.do("GET", "/files?dir=clips", ""), `{"items":[{"path":"clips/a.mp4","bytes":10}]}`)
	requireAnswer(t, s.do("GET", "/files", ""), `{"items":[{"path":"clips","bytes":0,"folder":true}]}`)
	requireProblem(t, s.do("GET", "/files?dir=clips%2Fa.mp4", ""), 400, "invalid_parameter")
	requireProblem(t, s.do("GET", "/files?dir=nowhere", ""), 404, "not_found")

	require.Equal(t, 204, s.do("DELETE", "/files/clips%2Fa.mp4", "", "If-Match", second).Code)
	require.Equal(t, 204, s.do("DELETE", "/files/clips%2Fa.mp4", "").Code)
	requireProblem(t, s.do("DELETE", "/files/clips%2Fa.mp4", "", "If-Match", "*"), 412, "precondition_failed")
	require.Equal(t, 204, s.do("DELETE", "/files/clips", "").Code)
	require.NoDirExists(t, filepath.Join(dir, "clips"))
}

// requireAnswer requires the given answer, without times.
func requireAnswer(t *testing.T, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	page := requireJSON(t, w, 200).(map[string]any)
	for _, item := range page["items"].([]any) {
		delete(item.(map[string]any), "modified")
	}
	require.JSONEq(t, want, jsonText(t, page))
}

func TestReadingAFile(t *testing.T) {
	s, _ := filed(t, nil)
	require.Equal(t, 201, s.do("PUT", "/files/%C3%A4.html", "<script>0123456789", raw()...).Code)
	w := s.do("GET", "/files/%C3%A4.html", "")
	require.Equal(t, "<script>0123456789", w.Body.String())
	for name, want := range map[string]string{
		"Content-Disposition": "attachment; filename*=utf-8''%C3%A4.html", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "sandbox; default-src 'none'", "Cross-Origin-Resource-Policy": "same-origin",
		"Accept-Ranges": "bytes", "Cache-Control": "private, no-cache", "Content-Length": "18",
	} {
		require.Equal(t, want, w.Header().Get(name))
	}
	tag := w.Header().Get("ETag")
	require.Equal(t, 304, s.do("GET", "/files/%C3%A4.html", "", "If-None-Match", tag).Code)
	head := s.do("HEAD", "/files/%C3%A4.html", "")
	require.Equal(t, "18", head.Header().Get("Content-Length"))
	require.Empty(t, head.Body.String())

	w = s.do("GET", "/files/%C3%A4.html", "", "Range", "bytes=8-10")
	require.Equal(t, 206, w.Code)
	require.Equal(t, "012", w.Body.String())
	require.Equal(t, "bytes 8-10/18", w.Header().Get("Content-Range"))
	require.Equal(t, 206, s.do("GET", "/files/%C3%A4.html", "", "Range", "bytes=8-10", "If-Range", tag).Code)
	require.Equal(t, 200, s.do("GET", "/files/%C3%A4.html", "", "Range", "bytes=8-10", "If-Range", `"other"`).Code)
	w = s.do("GET", "/files/%C3%A4.html", "", "Range", "bytes=90-")
	require.Equal(t, "bytes */18", w.Header().Get("Content-Range"))
	require.Empty(t, w.Header().Get("Content-Disposition"))
	requireProblem(t, w, 416, "range_not_satisfiable")
	requireProblem(t, s.do("GET", "/files/%C3%A4.html", "", "If-Match", `"other"`), 412, "precondition_failed")
}

func TestListingFiles(t *testing.T) {
	s, dir := filed(t, nil)
	var want []string
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "many"), 0o755))
	for i := range 2500 {
		name := fmt.Sprintf("%04d", i*7919%2500)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "many", name), nil, 0o644))
		want = append(want, "many/"+name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "many", ".svc-tmp-half"), nil, 0o644))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "many", "leads-out")))
	slices.Sort(want)
	var got []string
	for cursor, pages := "", 0; ; pages++ {
		page := requireJSON(t, s.do("GET", "/files?dir=many&limit=900&cursor="+cursor, ""), 200).(map[string]any)
		for _, item := range page["items"].([]any) {
			got = append(got, item.(map[string]any)["path"].(string))
		}
		next, more := page["nextCursor"]
		if !more {
			require.Equal(t, 2, pages)
			break
		}
		cursor = next.(string)
	}
	require.Equal(t, want, got)
	requireProblem(t, s.do("GET", "/files?limit=0", ""), 400, "invalid_parameter")
}

// TestHostilePaths uses paths that try to leave the folder, to change files of runs, or to name
// something that is no file.
func TestHostilePaths(t *testing.T) {
	s, dir := filed(t, nil)
	require.Equal(t, 201, s.do("PUT", "/files/own", "mine", raw()...).Code)
	outside := filepath.Join(filepath.Dir(dir), "canary")
	require.NoError(t, os.WriteFile(outside, []byte("what nobody may see"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".runs", "r"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".runs", "r", "a.mp4"), []byte("made"), 0o644))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "up")))
	require.NoError(t, os.Symlink("/", filepath.Join(dir, "root")))
	require.NoError(t, os.Symlink("turn", filepath.Join(dir, "turn")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	require.Equal(t, "made", s.do("GET", "/files/.runs%2Fr%2Fa.mp4", "").Body.String())

	long := strings.Repeat("x", 300)
	for path, statuses := range map[string][2]int{ // statuses of GET and PUT
		"..%2Fcanary": {403, 403}, "%2e%2e%2Fcanary": {403, 403}, "a%2F..%2F..%2Fcanary": {403, 403}, "%2Fetc%2Fpasswd": {403, 403},
		"up%2Fcanary": {403, 403}, "root%2Fetc%2Fpasswd": {403, 403}, "link": {403, 403}, "turn": {400, 400},
		".runs%2Fr%2Fa.mp4": {200, 403}, ".RUNS%2Fr%2Fnew": {404, 403}, "a%2F..%2F.runs%2Fr%2Fnew": {404, 403}, ".runs": {400, 403},
		".svc-tmp-x": {403, 403}, "a%2F.svc-tmp-x%2Fb": {403, 403}, "fifo": {403, 403}, "%00": {400, 400}, "a%00b": {400, 400},
		long: {400, 400}, strings.Repeat("d%2F", 70): {422, 422}, strings.Repeat("dd%2F", 2000): {422, 422}, ".": {400, 400}, "..": {403, 403},
	} {
		got := s.do("GET", "/files/"+path, "")
		require.Equal(t, statuses[0], got.Code, "GET %.60s: %s", path, got.Body)
		require.NotContains(t, got.Body.String(), "nobody may see", path)
		put := s.do("PUT", "/files/"+path, "evil", raw()...)
		require.Equal(t, statuses[1], put.Code, "PUT %.60s: %s", path, put.Body)
		deleted := s.do("DELETE", "/files/"+path, "")
		if path != "link" && path != "turn" && path != "fifo" { // these are entries of the folder itself
			require.Contains(t, []int{204, 400, 403, 422}, deleted.Code, "DELETE %.60s: %s", path, deleted.Body)
		}
		for _, w := range []*httptest.ResponseRecorder{got, put, deleted} {
			require.NotContains(t, w.Body.String(), dir, "where the folder lies is nobody's business")
		}
	}
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "what nobody may see", string(text))
	require.FileExists(t, filepath.Join(dir, ".runs", "r", "a.mp4"))
	for _, dir := range []string{"..", "%2F", "up", "root%2Fetc", "a%00b", "fifo", "turn"} {
		require.Contains(t, []int{400, 403, 404}, s.do("GET", "/files?dir="+dir, "").Code, dir)
	}
}

// TestFolderThatChanges reads and writes while a folder is repeatedly replaced by a link to the
// outside.
func TestFolderThatChanges(t *testing.T) {
	s, dir := filed(t, nil)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "a"), []byte("what nobody may see"), 0o600))
	require.Equal(t, 201, s.do("PUT", "/files/in%2Fa", "mine", raw()...).Code)
	var swapping sync.WaitGroup
	stop := make(chan struct{})
	in, kept, link := filepath.Join(dir, "in"), filepath.Join(dir, "kept"), filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(outside, link))
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = errors.Join(os.Rename(in, kept), os.Rename(link, in), os.Rename(in, link), os.Rename(kept, in))
		}
	})
	for range 100 {
		w := s.do("GET", "/files/in%2Fa", "")
		require.NotContains(t, w.Body.String(), "nobody may see")
		s.do("PUT", "/files/in%2Fb", "evil", raw()...)
		s.do("DELETE", "/files/in%2Fa2", "")
	}
	close(stop)
	swapping.Wait()
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing was put outside")
}

// TestUploadsAreWholeOrNot sends bodies that end early or are too long, in all possible ways.
func TestUploadsAreWholeOrNot(t *testing.T) {
	s, dir := filed(t, func(c *httpapi.Config) { c.MaxUpload, c.FilesBytes = 1<<20, 1<<19 })
	require.Equal(t, 201, s.do("PUT", "/files/a", "before", raw()...).Code)
	send := func(body io.Reader, length int64) *httptest.ResponseRecorder {
		r := newRequest("PUT", "/files/a", "", raw()...)
		r.Body, r.ContentLength = io.NopCloser(body), length
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	half := func(err error) io.Reader {
		return io.MultiReader(strings.NewReader(strings.Repeat("x", 100_000)), iotest.ErrReader(err))
	}
	requireProblem(t, send(half(io.ErrUnexpectedEOF), 200_000), 400, "malformed")
	requireProblem(t, send(half(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}), -1), 408, "request_timeout")
	requireProblem(t, send(iotest.ErrReader(errors.New("it was read")), 1<<20+1), 413, "too_large")
	full := requireProblem(t, send(strings.NewReader(strings.Repeat("x", 600_000)), 600_000), 507, "storage_full")
	require.Contains(t, full.Detail, "--files-bytes")
	requireProblem(t, s.do("PUT", "/files/a", "x", raw("Content-Encoding", "gzip")...), 415, "unsupported_media_type")
	requireProblem(t, s.do("PUT", "/files/a", "x", raw("Content-Range", "bytes 0-0/2")...), 400, "invalid_parameter")

	small, _ := filed(t, func(c *httpapi.Config) { c.MaxUpload = 1000 })
	r := newRequest("PUT", "/files/a", "", raw()...)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", 1001))), -1
	w := httptest.NewRecorder()
	small.ServeHTTP(w, r)
	requireProblem(t, w, 413, "too_large")

	require.Equal(t, "before", s.do("GET", "/files/a", "").Body.String())
	var left []string
	require.NoError(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		left = append(left, e.Name())
		return err
	}))
	require.Equal(t, []string{"files", "a"}, left)
	// The folder is counted for the first time during these uploads. If that counts too much, the
	// next count, some seconds after a refusal, corrects it.
	require.Eventually(t, func() bool {
		return s.do("PUT", "/files/a", strings.Repeat("y", 500_000), raw()...).Code == 200
	}, time.Minute, 50*time.Millisecond, "what did not come takes no room")
}

// TestUploadThatIsCut closes the connection in the middle of a body.
func TestUploadThatIsCut(t *testing.T) {
	s, dir := filed(t, nil)
	server := httptest.NewServer(s)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "PUT /files/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 1000000\r\n\r\n%s", testKey, strings.Repeat("x", 500_000))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return count(dir) == 1 }, time.Minute, time.Millisecond, "it is on its way")
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return count(dir) == 0 }, time.Minute, time.Millisecond, "nothing of it stays")
}

// count returns the number of entries of a folder; -1 if it does not exist.
func count(dir string) int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return -1
	}
	return len(entries)
}

// TestSlowUploads checks that the deadline applies to each piece of a file, not to the whole
// upload.
func TestSlowUploads(t *testing.T) {
	s, _ := filed(t, nil)
	r := newRequest("PUT", "/files/a", "", raw()...)
	r.Body, r.ContentLength = io.NopCloser(iotest.OneByteReader(strings.NewReader("0123456789"))), 10
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s.ServeHTTP(d, r)
	require.Equal(t, http.StatusCreated, d.Code)
	require.GreaterOrEqual(t, len(d.set), 12, "from the start, for each byte, and none behind the last")
	require.Zero(t, d.set[len(d.set)-1])
	for _, until := range d.set[:len(d.set)-1] {
		require.WithinDuration(t, time.Now().Add(time.Minute), until, 50*time.Second)
	}
}

// TestUploadsAtOnce uploads many files to one path, on the condition that no file exists. One
// succeeds.
func TestUploadsAtOnce(t *testing.T) {
	s, _ := filed(t, nil)
	var all sync.WaitGroup
	statuses := make([]int, 20)
	for i := range statuses {
		all.Go(func() {
			w := httptest.NewRecorder()
			s.Service.ServeHTTP(w, newRequest("PUT", "/files/one", strings.Repeat(string(rune('a'+i)), 100_000), raw("If-None-Match", "*")...))
			statuses[i] = w.Code
		})
	}
	all.Wait()
	slices.Sort(statuses)
	require.Equal(t, append([]int{201}, slices.Repeat([]int{412}, 19)...), statuses)
	body := s.do("GET", "/files/one", "").Body.Bytes()
	require.Equal(t, bytes.Repeat(body[:1], 100_000), body)
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
