package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// Files lists a page of a folder within the server's files folder.
func (c *Client) Files(ctx context.Context, q run.FileQuery) (run.FilePage, error) {
	query := url.Values{}
	if q.Dir != "" {
		query.Set("dir", q.Dir)
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	var page run.FilePage
	err := c.get(ctx, "/files?"+query.Encode(), &page)
	return page, err
}

// Upload stores the content of r as a file in the server's files folder, all or nothing, if cond
// holds. Digests in cond are tags of files. Otherwise the error has the code precondition_failed.
// The result has the tag of the file.
func (c *Client) Upload(ctx context.Context, path string, r io.Reader, cond workflow.Condition) (run.File, error) {
	var saved run.File
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+filePath(path), r)
	if err != nil {
		return saved, err
	}
	request.Header = headerOf(cond)
	request.Header.Set("Content-Type", "application/octet-stream")
	if f, ok := r.(interface{ Len() int }); ok {
		request.ContentLength = int64(f.Len())
	}
	answer, err := c.do(ctx, request)
	if err != nil {
		return saved, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(&saved); err != nil {
		return saved, c.lost(ctx, err)
	}
	saved.Tag = tagOf(answer)
	return saved, nil
}

// Download writes a file in the server's files folder to w and returns its size. It can also read
// the files of runs.
func (c *Client) Download(ctx context.Context, path string, w io.Writer) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+filePath(path), http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", "*/*")
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := c.do(ctx, request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	body := &received{Reader: answer.Body}
	n, err := io.Copy(w, body)
	if body.err != nil {
		return n, c.lost(ctx, body.err)
	}
	if err == nil && answer.ContentLength >= 0 && n != answer.ContentLength {
		err = fmt.Errorf("%s has sent %d of the %d bytes of %q", c.base, n, answer.ContentLength, path)
	}
	return n, err
}

// received is an answer body that records its own read errors, to distinguish them from write
// errors.
type received struct {
	io.Reader

	err error
}

// Read implements io.Reader.
func (r *received) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// DeleteFile deletes a file in the server's files folder, or an empty folder, if cond holds. It is
// no error if the file does not exist.
func (c *Client) DeleteFile(ctx context.Context, path string, cond workflow.Condition) error {
	return c.call(ctx, http.MethodDelete, filePath(path), headerOf(cond), nil, nil)
}

func filePath(path string) string { return "/files/" + url.PathEscape(path) }

// tagOf returns the text between the quotes of an answer's tag.
func tagOf(answer *http.Response) string { return strings.Trim(answer.Header.Get("ETag"), `"`) }
