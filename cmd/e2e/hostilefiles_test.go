//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

// fileAttacks fill the files folder.
func fileAttacks() []attack {
	return []attack{
		{
			name: "30,000 folders made by one node", budget: "--files-entries", always: true, told: "storage_full", peak: 300,
			with: start{args: []string{"--files-entries", "2000"}},
			do:   func(v *victim) { v.post("/execute", eachItem(3_000, `dir/{index}/a/b/c/d/e/f/g/file`, "x")) },
		},
		{
			name: "2 GB written by a workflow of 1 MB", budget: "--files-bytes", told: "storage_full", peak: 500,
			with: start{args: []string{"--files-bytes", "100000000"}},
			do: func(v *victim) {
				v.post("/execute", eachItem(2_000, "file-{index}", strings.Repeat("x", 1<<20)))
				require.LessOrEqual(v.t, v.sizeOf("files"), 100_000_000)
			},
		},
		{
			name: "a path of 2,000 folders", budget: "64 folders, 4,096 bytes", always: true, told: "limit_exceeded", peak: 300,
			do: func(v *victim) { v.post("/execute", eachItem(1, strings.Repeat("d/", 2_000)+"{index}", "x")) },
		},
	}
}

// eachItem is a workflow that writes n files of the same content; path has the place {index}.
func eachItem(n int, path, content string) string {
	body := workflowOf("x", []string{
		`{"id":"index","type":"io.input","config":{"name":"index","type":"int"}}`,
		`{"id":"content","type":"io.input","config":{"name":"content","type":"string"}}`,
		fmt.Sprintf(`{"id":"path","type":"text.format","config":{"template":%q}}`, path),
		`{"id":"write","type":"io.file_write"}`,
	}, []string{
		wire("index", "value", "path", "index"), wire("path", "result", "write", "path"), wire("content", "value", "write", "content"),
	})
	return workflowOf("writing", []string{
		fmt.Sprintf(`{"id":"text","type":"control.value","config":{"value":%q}}`, content),
		fmt.Sprintf(`{"id":"range","type":"listops.range","config":{"end":%d}}`, n),
		fmt.Sprintf(`{"id":"each","type":"control.foreach","body":%s}`, body),
	}, []string{wire("text", "value", "each", "content"), wire("range", "result", "each", "list")})
}
