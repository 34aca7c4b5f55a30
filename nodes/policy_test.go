package nodes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

func sandboxed(t *testing.T) (h *nodetest.Host, base string) {
	t.Helper()
	base = t.TempDir()
	env, err := Sandbox(Policy{FilesDir: filepath.Join(base, "files"), Getenv: getenv})
	require.NoError(t, err)
	return nodetest.New(t, Builtin(env)[0]), base
}

func getenv(name string) (string, bool) {
	v, ok := map[string]string{"SVC_VAR_A": "a", "SVC_API_KEY": "k3y", "svc_var_a": "lower", "PRONET_MAIN": "t0ken"}[name]
	return v, ok
}

func TestPolicyNeedsADirectory(t *testing.T) {
	_, err := Sandbox(Policy{})
	require.Error(t, err)
	_, err = Local(Policy{})
	require.Error(t, err)
}

func TestSandboxShowsOnlyItsVariables(t *testing.T) {
	h, _ := sandboxed(t)
	for name, want := range map[string]record{
		"SVC_VAR_A": {"value": "a", "found": true},
		"SVC_VAR_B": {"value": nil, "found": false},
	} {
		got, err := h.Exec("io.env_read", nil, record{"name": name})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, name := range []string{"A", "VAR_A", "SVC_API_KEY", "PRONET_MAIN", "svc_var_a", " SVC_VAR_A", "SVC_VAR", "PATH", "NOT_SET"} {
		_, err := h.Exec("io.env_read", nil, record{"name": name})
		require.Equal(t, node.CodeForbidden, node.CodeOf(err), name)
		require.ErrorContains(t, err, "SVC_VAR_")
	}
}

func TestLocalShowsAllVariables(t *testing.T) {
	env, err := Local(Policy{FilesDir: ".", Getenv: getenv})
	require.NoError(t, err)
	v, found, err := env.Getenv("PRONET_MAIN")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "t0ken", v)
}

// Environment variables with secrets of networks are an exception.
func TestLocalKeepsSecretsOfNetworks(t *testing.T) {
	set := func(string) (string, bool) { return "t0ken", true }
	env, err := Local(Policy{FilesDir: ".", Getenv: set, Networks: network.Shipped()})
	require.NoError(t, err)
	for _, name := range []string{"PRONET_MAIN", "PRONET_MAIN_FILE", "EMAIL_MAIN", "SVC_CRED_HTTP_SLACK", "SVC_CRED_GITHUB_MAIN", "GITHUB_CLIENT_SECRET", "PRONET_CLIENT_SECRET"} {
		_, _, err := env.Getenv(name)
		require.Equal(t, node.CodeForbidden, node.CodeOf(err), name)
		require.NotContains(t, err.Error(), "t0ken")
	}
	for _, name := range []string{"HOME", "HTTP_PROXY", "GITHUB_TOKEN", "PRONET_CLIENT_ID", "SVC_VAR_X"} {
		_, found, err := env.Getenv(name)
		require.NoError(t, err, name)
		require.True(t, found)
	}
}

func TestSandboxCreatesItsDirectoryOnFirstWrite(t *testing.T) {
	h, base := sandboxed(t)
	got, err := h.Exec("io.file_list", nil, nil)
	require.NoError(t, err)
	require.Equal(t, record{"files": []any{}, "count": 0}, got)
	_, err = h.Exec("io.file_read", nil, record{"path": "a"})
	require.EqualError(t, err, `there is no file "a" in the files folder`)
	require.NoDirExists(t, filepath.Join(base, "files"))

	_, err = h.Exec("io.file_write", nil, record{"path": "deep/er/a", "content": "x"})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(base, "files/deep/er/a"))
	got, err = h.Exec("io.file_read", nil, record{"path": "deep/er/a"})
	require.NoError(t, err)
	require.Equal(t, "x", got["content"])
}

func TestSandboxKeepsFilesInside(t *testing.T) {
	h, base := sandboxed(t)
	files := filepath.Join(base, "files")
	require.NoError(t, os.MkdirAll(files, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "secret"), []byte("s3cret"), 0o644))
	for link, target := range map[string]string{
		"file": "../secret", "abs": filepath.Join(base, "secret"), "dir": "..", "root": "/", "two": "dir/../file", "new": "../fresh",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(files, link)))
	}
	paths := []string{
		"../secret", "/etc/passwd", "..", "/", "//etc/passwd", "a/../../secret", "./../secret", filepath.Join(base, "secret"),
		"file", "abs", "dir/secret", "root/etc/passwd", "two", "dir/files/../secret", "new", "dir/fresh", "../fresh", "../files/a",
	}
	for _, path := range paths {
		for typ, in := range map[string]record{
			"io.file_read":  {"path": path},
			"io.file_write": {"path": path, "content": "evil", "append": true},
		} {
			_, err := h.Exec(typ, nil, in)
			require.Equal(t, node.CodeForbidden, node.CodeOf(err), "%s %s: %v", typ, path, err)
			require.NotContains(t, err.Error(), "s3cret")
		}
	}
	for _, dir := range []string{"..", "/", "dir", "root", "dir/files", "dir/.."} {
		got, err := h.Exec("io.file_list", nil, record{"dir": dir})
		if dir == "dir/.." { // the name is that of the folder itself
			require.NoError(t, err)
			require.Zero(t, got["count"], "links that lead out are not listed")
			continue
		}
		require.Equal(t, node.CodeForbidden, node.CodeOf(err), dir)
	}
	data, err := os.ReadFile(filepath.Join(base, "secret"))
	require.NoError(t, err)
	require.Equal(t, "s3cret", string(data))
	require.NoFileExists(t, filepath.Join(base, "fresh"))
}

// Workflows cannot create files whose names look like temporary files of a crashed save.
func TestNamesOfUnfinishedFilesAreRefused(t *testing.T) {
	h, _ := sandboxed(t)
	for _, path := range []string{".svc-tmp-X", "a/.svc-tmp-", "a/.Svc-TMP-x", ".svc-tmp-X/a", "./b/../.svc-tmp-X"} {
		_, err := h.Exec("io.file_write", nil, record{"path": path, "content": "x"})
		require.Equal(t, node.CodeForbidden, node.CodeOf(err), path)
	}
	_, err := h.Exec("io.file_write", nil, record{"path": "svc-tmp-X", "content": "x"})
	require.NoError(t, err)
}

func TestSandboxReplacesALinkThatLeadsOut(t *testing.T) {
	h, base := sandboxed(t)
	files := filepath.Join(base, "files")
	require.NoError(t, os.MkdirAll(files, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "secret"), []byte("s3cret"), 0o644))
	require.NoError(t, os.Symlink("../secret", filepath.Join(files, "link")))
	_, err := h.Exec("io.file_write", nil, record{"path": "link", "content": "x"})
	require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	data, err := os.ReadFile(filepath.Join(base, "secret"))
	require.NoError(t, err)
	require.Equal(t, "s3cret", string(data))
}

func TestResolvePath(t *testing.T) {
	tests := []struct {
		base, relative string
		sandbox, local string // "" if forbidden
	}{
		{"a", "b", "a/b", "a/b"},
		{"a/b/", "../c.txt", "a/c.txt", "a/c.txt"},
		{".", "a", "a", "a"},
		{"", "a", "a", "a"},
		{"a", "..", ".", "."},
		{"a", "../..", "", ".."},
		{"..", "a", "", "../a"},
		{"/srv", "a", "", "/srv/a"},
		{"a", "/etc/../b", "", "/b"},
		{"a", "./b//c/./d", "a/b/c/d", "a/b/c/d"},
	}
	sandbox, base := sandboxed(t)
	env, err := Local(Policy{FilesDir: base})
	require.NoError(t, err)
	local := nodetest.New(t, Builtin(env)[0])
	for _, tt := range tests {
		in := record{"base_dir": tt.base, "relative_path": tt.relative}
		got, err := sandbox.Exec("io.resolve_path", nil, in)
		if tt.sandbox == "" {
			require.Equal(t, node.CodeForbidden, node.CodeOf(err), in)
		} else {
			require.NoError(t, err)
			require.Equal(t, tt.sandbox, got["resolved_path"])
		}
		got, err = local.Exec("io.resolve_path", nil, in)
		require.NoError(t, err)
		require.Equal(t, tt.local, got["resolved_path"])
	}
	for _, h := range []*nodetest.Host{sandbox, local} {
		_, err := h.Exec("io.resolve_path", nil, record{"base_dir": "", "relative_path": ""})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	}
}

func TestLocalFilesAreRelativeToTheDirectory(t *testing.T) {
	base := t.TempDir()
	env, err := Local(Policy{FilesDir: filepath.Join(base, "work")})
	require.NoError(t, err)
	h := nodetest.New(t, Builtin(env)[0])
	for path, want := range map[string]string{
		"a/b":                        "work/a/b",
		"../beside":                  "beside",
		filepath.Join(base, "whole"): "whole",
	} {
		_, err := h.Exec("io.file_write", nil, record{"path": path, "content": "x"})
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(base, want))
		got, err := h.Exec("io.file_read", nil, record{"path": path})
		require.NoError(t, err)
		require.Equal(t, "x", got["content"])
	}
	got, err := h.Exec("io.file_list", nil, record{"dir": "..", "recursive": true})
	require.NoError(t, err)
	require.Equal(t, 5, got["count"])
}
