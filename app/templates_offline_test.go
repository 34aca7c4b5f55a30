package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type record = map[string]any

// The templates that need nothing, with their samples and with inputs that are
// not so nice.
func TestOfflineTemplates(t *testing.T) {
	a, _ := withAll(t, t.TempDir())
	for _, tt := range []struct {
		name, template string
		inputs         record
		want           record
	}{
		{"sample", "csv-report", nil, record{
			"report": "# Sales by region\n\n| Region | Sales | Amount |\n|---|---:|---:|\n" +
				"| North | 2 | 220.4 |\n| South | 1 | 80 |\n| West | 1 | 42.25 |\n\nSales: 4, total: 342.65.\n",
			"path": "sales-report.md", "total": 342.65,
		}},
		{"quoted cells", "csv-report", record{"csv": "amount,region\r\n1,\"a, \"\"b\"\"\r\nc\"\r\n", "path": "other.md"}, record{
			"report": "# Sales by region\n\n| Region | Sales | Amount |\n|---|---:|---:|\n| a, \"b\"\r\nc | 1 | 1 |\n\nSales: 1, total: 1.\n",
			"path":   "other.md", "total": 1.0,
		}},
		{"sample", "text-cleanup", nil, record{
			"text":      "Minutes\nAda & Grace agreed on Friday.\n\nQuestions to [address] or [address].",
			"addresses": []any{"ada@example.com", "grace@example.org"},
		}},
		{"nothing to do", "text-cleanup", record{"text": "1 < 2 > 0"}, record{"text": "1 < 2 > 0", "addresses": []any{}}},
		{"repeated address", "text-cleanup", record{"text": "<!-- x > -->a.b+c@d-e.co.uk, A.B+C@d-e.co.uk"}, record{
			"text": "[address], [address]", "addresses": []any{"a.b+c@d-e.co.uk"},
		}},
		{"valid", "schema-check", record{"data": 1, "schema": record{"type": "integer"}}, record{"valid": true, "report": "The data is valid."}},
		{"one mistake", "schema-check", record{"data": "1", "schema": record{"type": "integer"}}, record{
			"valid": false, "report": "1 mistake in the data:\n\n- `/`: got string, want integer",
		}},
		{"sample", "group-and-sum", nil, record{
			"groups": []any{
				record{"customer": "Grace", "orders": 1, "amount": 29.7},
				record{"customer": "Ada", "orders": 2, "amount": 21.0},
				record{"customer": "Alan", "orders": 1, "amount": 4.5},
			},
			"total": 55.2,
		}},
		{"empty", "group-and-sum", record{"orders": []any{}}, record{"groups": []any{}, "total": 0.0}},
		{"failed", "fallback", nil, record{"rate": 1.1}},
		{"went well", "fallback", record{"text": `{"rate":1.2}`}, record{"rate": 1.2}},
		{"failed", "finally", nil, record{"log": "tidied up"}},
		{"went well", "finally", record{"text": "[1]"}, record{"log": "tidied up", "result": []any{1}}},
		{"sample", "nested-workflow", nil, record{
			"paths": []any{"creme-brulee.md", "tea-for-two.md"},
			"pages": []any{"# Crème brûlée\n\nSugar on top, then fire.\n", "# Tea for two\n\nFour minutes, not five.\n"},
			"index": "- [Crème brûlée](creme-brulee.md)\n- [Tea for two](tea-for-two.md)",
		}},
	} {
		t.Run(tt.template+"/"+tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, runTemplate(t, a, tt.template, tt.inputs, nil))
		})
	}
}

func TestSchemaCheckTemplateWithItsSample(t *testing.T) {
	outputs := runTemplate(t, newTestApp(t, Config{}), "schema-check", nil, nil)
	require.Equal(t, false, outputs["valid"])
	lines := strings.Split(outputs["report"].(string), "\n")
	require.Equal(t, "4 mistakes in the data:", lines[0])
	for i, place := range []string{"`/`: ", "`/born`: ", "`/email`: ", "`/tags`: "} {
		require.Contains(t, lines[2+i], place)
	}
}

func TestCSVReportTemplateWritesItsFile(t *testing.T) {
	dir := t.TempDir()
	a, _ := withAll(t, dir)
	outputs := runTemplate(t, a, "csv-report", nil, nil)
	text, err := os.ReadFile(filepath.Join(dir, "sales-report.md"))
	require.NoError(t, err)
	require.Equal(t, outputs["report"], string(text))
}

func TestDirectoryDigestTemplate(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("b.txt", "abc")
	write("a.bin", "\x00\xff")
	write("below/c.txt", "")
	a := newTestApp(t, Config{Env: localEnv(t, dir)})
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	const binary = "06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8"
	const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

	outputs := runTemplate(t, a, "directory-digest", nil, nil)
	fingerprint := outputs["fingerprint"]
	require.Len(t, fingerprint, 64)
	delete(outputs, "fingerprint")
	require.Equal(t, record{"listing": binary + "  a.bin\n" + abc + "  b.txt", "count": 2, "bytes": 5.0, "unread": []any{}}, outputs)

	outputs = runTemplate(t, a, "directory-digest", record{"pattern": "*.txt", "recursive": true}, nil)
	require.Equal(t, abc+"  b.txt\n"+nothing+"  below/c.txt", outputs["listing"])

	write("b.txt", "abd")
	outputs = runTemplate(t, a, "directory-digest", nil, nil)
	require.NotEqual(t, fingerprint, outputs["fingerprint"])

	require.NoError(t, os.Truncate(filepath.Join(dir, "b.txt"), 101<<20))
	outputs = runTemplate(t, a, "directory-digest", nil, nil)
	require.Equal(t, binary+"  a.bin", outputs["listing"])
	require.Len(t, outputs["unread"], 1)
	require.Contains(t, outputs["unread"].([]any)[0], "104857600 bytes")
}
