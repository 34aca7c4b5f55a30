package client_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

func TestFilesOnAServer(t *testing.T) {
	c := serve(t)
	page, err := c.Files(t.Context(), run.FileQuery{})
	require.NoError(t, err)
	require.Empty(t, page.Items)

	content := strings.Repeat("frames ", 100_000)
	saved, err := c.Upload(t.Context(), "clips/a b%2Fc?.mp4", strings.NewReader(content), workflow.Condition{Absent: true})
	require.NoError(t, err)
	require.Equal(t, "clips/a b%2Fc?.mp4", saved.Path)
	require.EqualValues(t, len(content), saved.Bytes)
	_, err = c.Upload(t.Context(), saved.Path, strings.NewReader("x"), workflow.Condition{Absent: true})
	require.ErrorIs(t, err, workflow.ErrConflict)

	var got bytes.Buffer
	n, err := c.Download(t.Context(), saved.Path, &got)
	require.NoError(t, err)
	require.EqualValues(t, len(content), n)
	require.Equal(t, content, got.String())
	full := errors.New("the disk here is full")
	_, err = c.Download(t.Context(), saved.Path, refuses{full})
	require.Equal(t, full, err, "what fails here is not said of the server")

	page, err = c.Files(t.Context(), run.FileQuery{Dir: "clips", Limit: 1})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, saved.Path, page.Items[0].Path)

	changed, err := c.Upload(t.Context(), saved.Path, strings.NewReader("other"), workflow.Condition{Match: []string{saved.Tag}})
	require.NoError(t, err)
	require.NotEqual(t, saved.Tag, changed.Tag)
	require.ErrorIs(t, c.DeleteFile(t.Context(), saved.Path, workflow.Condition{Match: []string{saved.Tag}}), workflow.ErrConflict)
	require.NoError(t, c.DeleteFile(t.Context(), saved.Path, workflow.Condition{Match: []string{changed.Tag}}))
	_, err = c.Download(t.Context(), saved.Path, &got)
	require.ErrorIs(t, err, &client.Error{Code: client.CodeNotFound})
}

// refuses is a writer that always fails.
type refuses struct{ err error }

func (r refuses) Write([]byte) (int, error) { return 0, r.err }
