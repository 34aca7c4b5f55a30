// Package data is the plugin "data": nodes that read and write data formats. Large files are
// streamed, the size of unpacked data is bounded, and errors name the row, column, entry or
// page.
package data

import (
	"os/exec"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/zone"
)

// Config gives the nodes their access.
type Config struct {
	// Files holds the files that the nodes read and write; nil means that they cannot use
	// files.
	Files folder.Files
	// Documents creates the child process that reads documents: a program that calls
	// [pdf.Work] with its standard input and output. If it is nil, documents cannot be
	// read.
	Documents func() *exec.Cmd
}

// Plugin is the plugin, with its child processes, which it starts on demand.
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
			d.htmlExtractNode(), d.htmlToMarkdownNode(), d.htmlToTextNode(), d.markdownToHTMLNode(),
			d.xmlParseNode(), xmlFormatNode(), d.yamlParseNode(), yamlFormatNode(), d.tomlParseNode(),
			d.feedParseNode(), d.icsParseNode(&zone.Table{}), d.emlParseNode(),
			d.xlsxReadNode(), d.xlsxWriteNode(),
			d.zipListNode(), d.zipExtractNode(), d.zipCreateNode(), d.gzipNode(), d.gunzipNode(), d.detectNode(), d.pdfTextNode(p.documents),
		},
	}
	return p
}

// disk has the nodes that use files as methods.
type disk struct{ folder.Disk }

// transferTimeout is the timeout of nodes that read or write whole files.
const transferTimeout = 10 * time.Minute
