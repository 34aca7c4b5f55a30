package jsonnode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/nodetest/suites"
)

// jqCase is one case of jq's test suite: a program, its input, and the outputs. If it is
// marked as failing, the program must not compile.
type jqCase struct {
	place          string // file:line
	program, input string
	outputs        []string
	fails          bool
}

// parseSuite parses a .test file: cases of several lines, separated by empty lines.
func parseSuite(name, text string) (cases []jqCase) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if line := lines[i]; strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := jqCase{place: fmt.Sprintf("%s:%d", name, i+1), program: lines[i]}
		if strings.HasPrefix(lines[i], "%%FAIL") {
			i++
			c.fails, c.program = true, lines[i]
		} else {
			i++
			c.input = lines[i]
		}
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
			if !strings.HasPrefix(lines[i], "#") {
				c.outputs = append(c.outputs, lines[i])
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// run returns how the result differs from the expected one, or "".
func (c jqCase) run(h *nodetest.Host) string {
	if c.fails {
		if len(h.Problems("json.query", record{"filter": c.program}, "value")) == 0 {
			return "is not refused"
		}
		return ""
	}
	input, err := value.DecodeLenient([]byte(strings.TrimPrefix(c.input, "\ufeff")))
	if err != nil {
		return "input: " + err.Error()
	}
	out, err := h.Exec("json.query", record{"filter": c.program}, record{"value": input})
	if err != nil {
		return err.Error()
	}
	want := []any{}
	for _, text := range c.outputs {
		v, err := value.DecodeLenient([]byte(text))
		if err != nil {
			return "output: " + err.Error()
		}
		want = append(want, v)
	}
	if got, want := string(value.Encode(out["results"])), string(value.Encode(want)); got != want {
		return "gives " + got + ", not " + want
	}
	return ""
}

func TestConformanceWithJQ(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	listed := map[string]string{}
	for _, d := range jqDifferences() {
		for place := range strings.FieldsSeq(d.cases) {
			listed[place] = d.reason
		}
	}
	total := 0
	for _, name := range []string{"jq", "man", "onig", "manonig", "base64", "uri", "optional"} {
		for _, c := range parseSuite(name, string(suites.Read(t, "jq/"+name+".test"))) {
			total++
			difference := c.run(h)
			reason, known := listed[c.place]
			if known {
				require.NotEmpty(t, difference, "%s is listed as different (%s), and is not any more: %s", c.place, reason, c.program)
			} else if difference != "" {
				t.Errorf("%s: %s\n\t%s", c.place, c.program, difference)
			}
			delete(listed, c.place)
		}
	}
	require.Empty(t, listed, "no such cases")
	require.Greater(t, total, 800)
}
