package data_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestCSVParse(t *testing.T) {
	h, dir := host(t)
	for name, tt := range map[string]struct {
		text   string
		config record
		want   []any
	}{
		"plain":                  {"name,city\nAda,London\nAlan,", nil, []any{record{"name": "Ada", "city": "London"}, record{"name": "Alan", "city": ""}}},
		"line ends of windows":   {"a,b\r\n1,2\r\n", nil, []any{record{"a": "1", "b": "2"}}},
		"empty lines":            {"\na\n\n1\n\n", nil, []any{record{"a": "1"}}},
		"quotes":                 {"a,b\n\"x, \"\"y\"\"\nz\",2\n", nil, []any{record{"a": "x, \"y\"\nz", "b": "2"}}},
		"a quote inside":         {"a,b\n5\" disk,2\n", nil, []any{record{"a": `5" disk`, "b": "2"}}},
		"other quotes":           {"a,b\n'x, ''y''',\"2\"\n", record{"quote": "'"}, []any{record{"a": "x, 'y'", "b": `"2"`}}},
		"semicolons":             {"a;b\n1,5;2\n", nil, []any{record{"a": "1,5", "b": "2"}}},
		"tabs":                   {"a\tb\n1\t2\n", nil, []any{record{"a": "1", "b": "2"}}},
		"a quoted delimiter":     {"\"a;b;c\",d\n1,2\n", nil, []any{record{"a;b;c": "1", "d": "2"}}},
		"as Excel says":          {"sep=|\na|b;c;d\n1|2\n", nil, []any{record{"a": "1", "b;c;d": "2"}}},
		"given delimiter":        {"a\tb;c\n1;2\n", record{"delimiter": ";"}, []any{record{"a\tb": "1", "c": "2"}}},
		"a mark":                 {"\ufeffa\n1\n", nil, []any{record{"a": "1"}}},
		"windows1252":            {"a\nGr\xfc\xdfe \x80\n", nil, []any{record{"a": "Grüße €"}}},
		"utf16":                  {"\xff\xfea\x00\n\x00\xe4\x00\n\x00", nil, []any{record{"a": "ä"}}},
		"names that are missing": {"a,,a, a \n1,2,3,4\n", nil, []any{record{"a": "1", "column2": "2", "a_2": "3", "a_3": "4"}}},
		"no header":              {"1,2\n3,4\n", record{"header": false}, []any{record{"column1": "1", "column2": "2"}, record{"column1": "3", "column2": "4"}}},
		"given names":            {"1,2\n", record{"header": false, "columns": []any{"x", "y"}}, []any{record{"x": "1", "y": "2"}}},
		"some columns":           {"a,b,c\n1,2,3\n", record{"columns": []any{"c", "a"}}, []any{record{"c": "3", "a": "1"}}},
		"skip and limit":         {"Report\n\na\n1\n2\n3\n", record{"skip": 2, "limit": 2}, []any{record{"a": "1"}, record{"a": "2"}}},
		"nothing":                {"", nil, []any{}},
		"just a header":          {"a,b\n", nil, []any{}},
		"guessed": {"a,b,c,d,e,f,g,h\n1,-2.5,007,true,,1e3,+1,0.5\n", record{"types": "guess"}, []any{
			record{"a": 1, "b": -2.5, "c": "007", "d": true, "e": nil, "f": 1000.0, "g": "+1", "h": 0.5},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, dir, "in.csv", tt.text)
			got, err := h.Exec("data.csv_parse", tt.config, record{"path": "in.csv"})
			require.NoError(t, err)
			require.Equal(t, tt.want, got["rows"])
			require.Equal(t, len(tt.want), got["count"])
			if utf8.ValidString(tt.text) {
				again, err := h.Exec("data.csv_parse", tt.config, record{"text": tt.text})
				require.NoError(t, err)
				require.Equal(t, got, again)
			}
		})
	}
}

func TestCSVBadInput(t *testing.T) {
	h, _ := host(t)
	for name, tt := range map[string]struct {
		inputs        record
		code, message string
	}{
		"too many fields":    {record{"text": "a,b\n1,2\n1,2,3\n"}, "invalid_input", "line 3: there are 3 fields, and 2 columns"},
		"too few fields":     {record{"text": "a,b\n\"1\n\",2\n1\n"}, "invalid_input", "line 4: there are 1 fields"},
		"never closed":       {record{"text": "a,b\n1,\"2\n3\n"}, "invalid_input", "line 2: column 2: the quote that opens the field is never closed"},
		"no such column":     {record{"text": "a,b\n1,2\n", "columns": []any{"c"}}, "invalid_input", `there is no column "c"; there are a, b`},
		"endless row":        {record{"text": "a,\"" + strings.Repeat("x", limit.TableRow+10) + "\n"}, "limit_exceeded", "line 1: the row is longer"},
		"endless quote":      {record{"text": "a,\"" + strings.Repeat("x\n", limit.TableRow)}, "limit_exceeded", "line 1: the row is longer"},
		"nothing to read":    {record{}, "invalid_config", "give path, text or base64"},
		"no such file":       {record{"path": "none.csv"}, "not_found", "there is no file none.csv"},
		"a directory":        {record{"path": "."}, "invalid_input", "is a directory"},
		"a long delimiter":   {record{"text": "a", "delimiter": "::"}, "invalid_input", "delimiter is"},
		"delimiter as quote": {record{"text": "a", "delimiter": `"`}, "invalid_input", "two different characters"},
		"negative":           {record{"text": "a", "skip": -1}, "invalid_input", "cannot be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Exec("data.csv_parse", nil, tt.inputs)
			require.Equal(t, tt.code, node.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, tt.message)
		})
	}
	out, err := h.Exec("data.csv_parse", record{"strict": false}, record{"text": "a,b\n1\n1,2\n\"x\"y,1\n3,4\n"})
	require.NoError(t, err)
	require.Equal(t, []any{record{"a": "1", "b": "2"}, record{"a": "xy", "b": "1"}, record{"a": "3", "b": "4"}}, out["rows"])
	require.Equal(t, []any{
		record{"line": 2, "item": nil, "message": "there are 1 fields, and 2 columns; the row is cut off, or a delimiter is missing"},
		record{"line": 4, "item": nil, "message": "column 1: there is text after the closing quote; a quote inside quotes has to be doubled"},
	}, out["warnings"])
	_, err = h.Exec("data.csv_parse", nil, record{"text": "a\n" + strings.Repeat("1\n", limit.TableRows+1)})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.Len(t, h.Problems("data.csv_parse", record{"text": "a", "path": "b"}), 1)
}

func TestCSVFormat(t *testing.T) {
	h, dir := host(t)
	rows := []any{record{"name": "Ada", "n": 1, "f": 1.5, "ok": true, "none": nil, "list": []any{1, "x"}}, record{"name": "a,\"b\"\nc", "more": "x"}}
	for _, tt := range []struct {
		config record
		rows   []any
		want   string
	}{
		{nil, rows, "f,list,more,n,name,none,ok\n1.5,\"[1,\"\"x\"\"]\",,1,Ada,,true\n,,x,,\"a,\"\"b\"\"\nc\",,\n"},
		{record{"columns": []any{"name", "n"}, "delimiter": ";"}, rows, "name;n\nAda;1\n\"a,\"\"b\"\"\nc\";\n"},
		{record{"columns": []any{"name", "n"}, "header": false, "delimiter": "tab"}, rows[:1], "Ada\t1\n"},
		{nil, []any{}, ""},
		{nil, []any{record{"a": ""}}, "a\n\"\"\n"},
		{
			nil,
			[]any{record{"a": "=1+1"}, record{"a": "@x"}, record{"a": "-1+cmd"}, record{"a": "-5"}, record{"a": "+49 30"}, record{"a": "+49"}, record{"a": "\t=1"}, record{"a": "=\"x\""}, record{"a": -5}},
			"a\n'=1+1\n'@x\n'-1+cmd\n-5\n'+49 30\n+49\n'\t=1\n\"'=\"\"x\"\"\"\n-5\n",
		},
		{record{"guard": false}, []any{record{"a": "=1+1"}}, "a\n=1+1\n"},
		{nil, []any{record{"=a": " x "}}, "'=a\n\" x \"\n"},
	} {
		out, err := h.Exec("data.csv_format", tt.config, record{"rows": tt.rows})
		require.NoError(t, err)
		require.Equal(t, record{"text": tt.want, "path": nil, "count": len(tt.rows)}, out)
	}
	for range 2 {
		out, err := h.Exec("data.csv_format", record{"path": "./out/a.csv"}, record{"rows": []any{record{"b": 1, "a": 2}}})
		require.NoError(t, err)
		require.Equal(t, record{"text": "", "path": "out/a.csv", "count": 1}, out)
		require.Equal(t, "a,b\n2,1\n", read(t, dir, "out/a.csv"))
	}
	// Appended rows have the columns of the header.
	put(t, dir, "log.csv", "b,c,a\n")
	for range 2 {
		_, err := h.Exec("data.csv_format", record{"path": "log.csv", "append": true}, record{"rows": []any{record{"a": 2, "b": 1, "d": 3}}})
		require.NoError(t, err)
	}
	require.Equal(t, "b,c,a\n1,,2\n1,,2\n", read(t, dir, "log.csv"))
	for _, delimiter := range []string{"", "xx", `"`, "ä", "\n"} {
		_, err := h.Exec("data.csv_format", record{"delimiter": delimiter}, record{"rows": rows})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	}
}

// FuzzCSV compares the reader with encoding/csv for texts that both accept, and reads back
// what was written.
func FuzzCSV(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("a,b\r\n\"x, \"\"y\"\"\nz\",2\n")
	f.Add("\"\n\n\"\"\"\n,\"\"")
	f.Fuzz(func(t *testing.T, text string) {
		h := nodetest.New(t, data.New(data.Config{}))
		config := record{"header": false, "delimiter": ",", "encoding": "utf-8"}
		out, err := h.Exec("data.csv_parse", config, record{"text": text})
		if !utf8.ValidString(text) {
			return // not a valid text in a workflow
		}
		theirs, refused := csv.NewReader(strings.NewReader(text)).ReadAll()
		if refused == nil && !strings.Contains(text, "\r") && !strings.HasPrefix(text, "sep=") && !strings.HasPrefix(text, "\ufeff") {
			require.NoError(t, err)
			require.Equal(t, len(theirs), out["count"])
			for i, row := range out["rows"].([]any) {
				for k, field := range theirs[i] {
					require.Equal(t, field, row.(record)[fmt.Sprint("column", k+1)])
				}
			}
		}
		if err != nil || out["count"] == 0 {
			return
		}
		written, err := h.Exec("data.csv_format", record{"header": false, "guard": false, "columns": out["columns"]}, record{"rows": out["rows"]})
		require.NoError(t, err)
		again, err := h.Exec("data.csv_parse", config, record{"text": written["text"]})
		require.NoError(t, err)
		require.Equal(t, out["rows"], again["rows"])
	})
}
