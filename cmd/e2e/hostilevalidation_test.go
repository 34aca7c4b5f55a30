//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// validationAttacks are small documents with very many problems, and large ones in which each
// part depends on each other part.
func validationAttacks() []attack {
	const problems, linear = "1,000 problems, 1 MiB", "linear validation, 300 MB"
	list := []attack{
		{name: "a long name above 4,000 mistakes", budget: problems, always: true, peak: 300, told: "truncated", do: func(v *victim) {
			v.post("/validate", longNames())
			v.post("/execute", longNames())
		}},
		{name: "150,000 inputs that there are not", budget: problems, always: true, peak: 300, told: "truncated", do: func(v *victim) {
			v.post("/execute", fmt.Sprintf(`{"workflow":%s,"inputs":{%s}}`, wideTaker(3_000), unknownKeys(150_000)))
		}},
		{name: "50,000 wires to nowhere", budget: problems, peak: 300, told: "truncated", do: func(v *victim) {
			wires := repeated(50_000, func(i int) string { return wire("a", fmt.Sprint("no", i), "b", fmt.Sprint("no", i)) })
			v.post("/validate", workflowOf("w", []string{wideFormat("a", 5_000), wideFormat("b", 5_000)}, wires))
		}},
		{name: "a caller who leaves", budget: "validation ends with its caller", always: true, do: leaveEarly},
	}
	documents := bigDocuments()
	often := []string{"an enum into its reverse", "types all wired to each other", "10 MiB of records of one", "10 MiB of empty lists"}
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		body := documents[name]
		list = append(list, attack{name: name, budget: linear, always: slices.Contains(often, name), peak: 300, cpu: 4 * time.Second, do: func(v *victim) {
			v.post("/validate", body())
		}})
	}
	return list
}

// bigDocuments are up to 10 MiB of one thing each.
func bigDocuments() map[string]func() string {
	value := func(json string) string {
		return workflowOf("w", []string{fmt.Sprintf(`{"id":"v","type":"control.value","config":{"value":%s}}`, json)}, nil)
	}
	fill := func(item string) string {
		return value("[" + item + strings.Repeat(","+item, (10<<20-500)/(len(item)+1)) + "]")
	}
	return map[string]func() string{
		"an enum into its reverse":       reverseEnum,
		"a list into a list of enums":    enumDefaults,
		"a wide record into 4,000 ports": wideIntoMany,
		"a wide type for many records":   manyRecords,
		"types all wired to each other":  allToAll,
		"10 MiB of empty records":        func() string { return fill(`{}`) },
		"10 MiB of records of one":       func() string { return fill(`{"a":1}`) },
		"10 MiB of empty lists":          func() string { return fill(`[]`) },
		"10 MiB of digits":               func() string { return fill(`1`) },
		"10 MiB of floats":               func() string { return fill(`1.5`) },
		"10 MiB of nodes": func() string {
			return workflowOf("w", repeated(330_000, func(i int) string { return fmt.Sprintf(`{"id":"%06d","type":""}`, i) }), nil)
		},
		"10 MiB of connections": func() string {
			return workflowOf("w", nil, repeated(150_000, func(int) string { return wire("", "", "", "") }))
		},
		"10 MiB of strings": func() string { return fill(`"abc"`) },
		"10 MiB of braces": func() string {
			return workflowOf("w", []string{`{"id":"t","type":"text.format","config":{"template":"` + strings.Repeat("{{ a", 2_500_000) + `"}}`}, nil)
		},
		"10 MiB of text":       func() string { return value(`"` + strings.Repeat("x", 10<<20-500) + `"`) },
		"10 MiB of a template": func() string { return workflowOf("w", []string{wideFormat("t", 900_000)}, nil) },
		"10 MiB of unknown keys": func() string {
			return workflowOf("w", []string{`{"id":"v","type":"control.value","config":{` + unknownKeys(500_000) + `}}`}, nil)
		},
		"10,000 calls of a body of 1,000 ports": manyBodies,
	}
}

func wire(from, fromPort, to, toPort string) string {
	return fmt.Sprintf(`{"fromNodeId":%q,"fromPort":%q,"toNodeId":%q,"toPort":%q}`, from, fromPort, to, toPort)
}

func input(id, typ, preset string) string {
	return fmt.Sprintf(`{"id":%q,"type":"io.input","config":{"name":%q,"type":%q%s}}`, id, id, typ, preset)
}

func longNames() string {
	inner := workflowOf("w", repeated(4_000, func(i int) string { return fmt.Sprintf(`{"id":"n%d","type":"no"}`, i) }), nil)
	return workflowOf("w", []string{fmt.Sprintf(`{"id":%q,"type":"control.subworkflow","body":%s}`, strings.Repeat("long", 30_000), inner)}, nil)
}

func unknownKeys(n int) string {
	return strings.Join(repeated(n, func(i int) string { return fmt.Sprintf(`"unknown-%06d":1`, i) }), ",")
}

func wideTaker(n int) string {
	return workflowOf("w", repeated(n, func(i int) string { return input(fmt.Sprint("in", i, strings.Repeat("x", 150)), "int", "") }), nil)
}

func wideFormat(id string, n int) string {
	return fmt.Sprintf(`{"id":%q,"type":"text.format","config":{"template":%q}}`, id,
		strings.Join(repeated(n, func(i int) string { return fmt.Sprintf("{p%d}", i) }), ""))
}

// members returns the names of n members or fields, the last one first if reverse.
func members(n int, separator, suffix string, reverse bool) string {
	return strings.Join(repeated(n, func(i int) string {
		if reverse {
			i = n - 1 - i
		}
		return fmt.Sprintf("m%06d%s", i, suffix)
	}), separator)
}

func reverseEnum() string {
	const n = 500_000
	return workflowOf("w", []string{
		input("a", "enum("+members(n, "|", "", false)+")", ""),
		fmt.Sprintf(`{"id":"b","type":"control.subworkflow","body":%s}`, workflowOf("x", []string{input("in", "enum("+members(n, "|", "", true)+")", "")}, nil)),
	}, []string{wire("a", "value", "b", "in")})
}

func enumDefaults() string {
	const n = 400_000
	return workflowOf("w", []string{input("a", "list<enum("+members(n, "|", "", false)+")>", `,"default":["`+members(n, `","`, "", true)+`"]`)}, nil)
}

func wideIntoMany() string {
	const n, ports = 300_000, 4_000
	body := workflowOf("x", repeated(ports, func(i int) string { return input(fmt.Sprint("in", i), fmt.Sprintf("record{m%06d:int}", n-1-i), "") }), nil)
	return workflowOf("w", []string{
		input("a", "record{"+members(n, ",", ":int", false)+"}", ""),
		fmt.Sprintf(`{"id":"b","type":"control.subworkflow","body":%s}`, body),
	}, repeated(ports, func(i int) string { return wire("a", "value", "b", fmt.Sprint("in", i)) }))
}

func manyRecords() string {
	records := strings.TrimSuffix(strings.Repeat(`{"m000007":1},`, 300_000), ",")
	return workflowOf("w", []string{input("a", "list<record{"+members(200_000, ",", ":int?", false)+"}>", `,"default":[`+records+`]`)}, nil)
}

func allToAll() string {
	const types, n = 200, 1_500
	var nodes, wires []string
	for i := range types {
		nodes = append(nodes, input(fmt.Sprint("a", i), "record{"+members(n, ",", ":int", false)+"}", ""),
			fmt.Sprintf(`{"id":"b%d","type":"control.subworkflow","body":%s}`, i,
				workflowOf("x", []string{input("in", "list<record{"+members(n, ",", ":int", true)+"}>", "")}, nil)))
		for k := range types {
			wires = append(wires, wire(fmt.Sprint("a", i), "value", fmt.Sprint("b", k), "in"))
		}
	}
	return workflowOf("w", nodes, wires)
}

func manyBodies() string {
	body := workflowOf("x", repeated(1_000, func(i int) string { return input(fmt.Sprint("in", i), "int", `,"default":1`) }), nil)
	return workflowOf("w", repeated(60, func(i int) string {
		return fmt.Sprintf(`{"id":"b%d","type":"control.subworkflow","body":%s}`, i, body)
	}), nil)
}

// leaveEarly sends what takes long to validate and closes the connection, many times. The
// server must stop work that no client waits for.
func leaveEarly(v *victim) {
	body := allToAll()
	for range 20 {
		conn, err := net.Dial("tcp", v.host())
		require.NoError(v.t, err)
		_, err = fmt.Fprintf(conn, "POST /validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			binaryKey, len(body), body)
		require.NoError(v.t, err)
		require.NoError(v.t, conn.Close())
	}
	began := time.Now()
	v.do(http.StatusOK, "POST", "/execute", quick)
	v.note(fmt.Sprintf("nothing, and then a run takes %v", time.Since(began).Round(time.Millisecond)))
}
