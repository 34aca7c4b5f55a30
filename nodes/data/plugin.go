// Package data is the plugin "data": nodes that read and write the formats in which data
// comes. What can be large is read piece by piece, what unfolds is bounded, and what is
// wrong is named by its row, column, entry or page.
package data

import (
	"os/exec"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/zone"
)

// Config is what the nodes may reach.
type Config struct {
	// Files is where files are read and written; nil means nowhere.
	Files folder.Files
	// Documents makes the process that reads documents: a program that calls [pdf.Work] with
	// its standard input and output. If it is nil, none are read.
	Documents func() *exec.Cmd
}

// Plugin is the plugin, with the processes it has begun. None is begun before it is needed.
type Plugin struct {
	node.Bundle

	documents documents
}

// New returns the plugin.
func New(c Config) *Plugin {
	if c.Files == nil {
		c.Files = folder.None{}
	}
	d := disk{folder.Disk{Files: c.Files}}
	p := &Plugin{documents: newDocuments(c.Documents)}
	p.Bundle = node.Bundle{
		Name:     "data",
		Category: "Data",
		Card:     node.Card{Shape: "card", Color: "#2E7D32", Icon: "table"},
		Nodes: []node.Node{
			d.csvParseNode(), d.csvEachNode(), d.csvFormatNode(),
			htmlExtractNode(), htmlToMarkdownNode(), htmlToTextNode(), markdownToHTMLNode(),
			d.xmlParseNode(), xmlFormatNode(), d.yamlParseNode(), yamlFormatNode(), d.tomlParseNode(),
			d.feedParseNode(), d.icsParseNode(&zone.Table{}), d.emlParseNode(),
			d.xlsxReadNode(), d.xlsxWriteNode(),
			d.zipListNode(), d.zipExtractNode(), d.zipCreateNode(), d.gzipNode(), d.gunzipNode(), d.detectNode(), d.pdfTextNode(p.documents),
		},
	}
	return p
}

// disk carries the nodes that use files.
type disk struct{ folder.Disk }

// wrong returns an error of an input, which no second attempt makes right.
func wrong(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeInvalidInput, format, args...))
}

// tooMuch returns the error of what is past a limit.
func tooMuch(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, format, args...))
}

// longest is how many characters of a text a message shows.
const longest = 64

// cut bounds what a message shows of a text.
func cut(s string) string {
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}
