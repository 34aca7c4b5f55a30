package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecisionsAreShortAndListed checks that each decision has the usual parts, stays short,
// and is in the index.
func TestDecisionsAreShortAndListed(t *testing.T) {
	index, err := os.ReadFile("../docs/decisions/README.md")
	require.NoError(t, err)
	pages, err := filepath.Glob("../docs/decisions/*.md")
	require.NoError(t, err)
	for _, page := range pages {
		name := filepath.Base(page)
		if name == "README.md" {
			continue
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Regexp(t, `(?s)^# .+\n\nStatus: .+\n## Context\n.+\n## Decision\n.+\n## Consequences\n`, string(text), name)
		if name != "libraries.md" { // one table
			require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 42, name)
		}
		require.Contains(t, string(index), "("+name+")")
	}
}

// TestLinksOfPagesLead checks that the files and titles exist to which pages link.
func TestLinksOfPagesLead(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]+))?\)`)
	for _, page := range pages {
		if strings.HasSuffix(page, "docs/nodes.md") {
			continue // generated; descriptions of nodes show links of Markdown
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], ":") {
				continue // another site
			}
			target := filepath.Join(filepath.Dir(page), m[1])
			if m[1] == "" {
				target = page
			}
			_, err := os.Stat(target)
			require.NoError(t, err, page)
			if m[2] != "" {
				linked, err := os.ReadFile(target)
				require.NoError(t, err)
				require.Contains(t, anchors(string(linked)), m[2], page)
			}
		}
	}
}

// anchors returns the anchors of a page's titles.
func anchors(text string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[1])
		name = regexp.MustCompile("[^a-z0-9 _-]").ReplaceAllString(name, "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
