//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// budgetAttacks are runs and requests that each stay below every limit of a single node, and
// together want more than there is. Each is made alone, and by eight at once.
func budgetAttacks() []attack {
	runs := map[string]struct {
		body    string
		prepare func(v *victim)
	}{
		"20 jq filters":           {body: sideBySide(20, `"type":"json.query","config":{"value":null,"filter":"[range(2000000)]|map({a:.})"}`)},
		"120 texts of 60 MB":      {body: manyTexts(120)},
		"30 zips of 1,000,000":    {body: manyZips(30)},
		"8 JSON texts of 30 MB":   {body: manyParsed(8)},
		"60 files of 60 MB":       {body: sideBySide(60, `"type":"io.file_read","config":{"path":"large","maxBytes":100000000}`), prepare: largeFile},
		"10,000 rounds of 10,000": {body: rounds(10_000, 10_000)},
		"a list doubled 60 times": {body: doubled(60)},
	}
	var list []attack
	for name, r := range runs {
		for _, callers := range []int{1, 8} {
			a := attack{
				beside: true, name: name, budget: "--run-memory, GOMEMLIMIT", told: "limit_exceeded|too_much", peak: 1024,
				always: callers == 1 && name == "120 texts of 60 MB",
				do: func(v *victim) {
					if r.prepare != nil {
						r.prepare(v)
					}
					v.together(callers, "/execute?full=true", r.body)
				},
			}
			if callers > 1 {
				a.name += fmt.Sprintf(", %d at once", callers)
			}
			list = append(list, a)
		}
	}
	list = append(list, attack{
		name: "30 stored workflows of 8 MB", budget: "--admit", told: "too_much", peak: 1024, beside: true, do: func(v *victim) { storedOnes(v, 30) },
	}, attack{
		name: "80 callers with 8.6 MB", budget: "--admit", told: "too_much", peak: 1024, always: true, beside: true, do: func(v *victim) {
			v.together(80, "/validate", numbers(8_600_000))
		},
	}, attack{
		name: "1,000 callers with 10 MB", budget: "--admit", told: "too_much", peak: 1024, beside: true, do: func(v *victim) {
			v.together(1000, "/execute", numbers(10_000_000))
		},
	}, attack{
		name: "400 who read nothing", budget: "30 s without a byte", peak: 1024, do: func(v *victim) { readNothing(v, 400) },
	}, attack{
		name: "20 who do not read 46 MB", budget: "30 s without a byte", peak: 1024, do: func(v *victim) { unreadAnswers(v, 20) },
	}, attack{
		name: "1,500 connections of one address", budget: "--max-per-address", always: true, peak: 200, do: manyConnections,
	})
	return list
}

func sideBySide(n int, node string) string {
	return workflowOf("w", repeated(n, func(i int) string { return fmt.Sprintf(`{"id":"n%d",%s}`, i, node) }), nil)
}

// manyTexts makes n texts of 60 MB out of one of 1 MB.
func manyTexts(n int) string {
	nodes := []string{`{"id":"text","type":"control.value","config":{"value":"` + strings.Repeat("x", 1<<20) + `"}}`}
	var wires []string
	for i := range n {
		id := fmt.Sprint("n", i)
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"type":"text.format","config":{"template":%q}}`, id, strings.Repeat("{a}", 57)))
		wires = append(wires, wire("text", "value", id, "a"))
	}
	return workflowOf("w", nodes, wires)
}

func manyZips(n int) string {
	nodes := []string{`{"id":"list","type":"listops.range","config":{"end":1000000}}`}
	var wires []string
	for i := range n {
		id := fmt.Sprint("n", i)
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"type":"listops.zip"}`, id))
		wires = append(wires, wire("list", "result", id, "listA"), wire("list", "result", id, "listB"))
	}
	return workflowOf("w", nodes, wires)
}

// manyParsed reads a JSON text of 30 MB n times.
func manyParsed(n int) string {
	nodes := []string{
		`{"id":"part","type":"control.value","config":{"value":"` + strings.Repeat("1,", 500_000) + `"}}`,
		`{"id":"text","type":"text.format","config":{"template":"[` + strings.Repeat("{a}", 30) + `1]"}}`,
	}
	wires := []string{wire("part", "value", "text", "a")}
	for i := range n {
		id := fmt.Sprint("n", i)
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"type":"json.parse"}`, id))
		wires = append(wires, wire("text", "result", id, "text"))
	}
	return workflowOf("w", nodes, wires)
}

// rounds is a loop in a loop that outputs everything.
func rounds(outer, inner int) string {
	body := func(nodes, connections string) string {
		return fmt.Sprintf(`"body":{"nodes":[%s],"connections":[%s]}`, nodes, connections)
	}
	in := `{"id":"in","type":"io.input","config":{"name":"item"}},{"id":"out","type":"io.output","config":{"name":"out"}}`
	innermost := body(in, wire("in", "value", "out", "value"))
	middle := body(fmt.Sprintf(`{"id":"list","type":"listops.range","config":{"end":%d}},{"id":"each","type":"control.foreach",%s},{"id":"out","type":"io.output","config":{"name":"out"}}`, inner, innermost),
		wire("list", "result", "each", "list")+","+wire("each", "out", "out", "value"))
	return workflowOf("w", []string{
		fmt.Sprintf(`{"id":"list","type":"listops.range","config":{"end":%d}}`, outer),
		`{"id":"each","type":"control.foreach",` + middle + `}`,
	}, []string{wire("list", "result", "each", "list")})
}

// doubled appends a list to itself n times.
func doubled(n int) string {
	nodes := []string{`{"id":"n0","type":"control.value","config":{"value":["x"]}}`}
	var wires []string
	for i := 1; i <= n; i++ {
		from, id := fmt.Sprint("n", i-1), fmt.Sprint("n", i)
		port := "result"
		if i == 1 {
			port = "value"
		}
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"type":"listops.concat"}`, id))
		wires = append(wires, wire(from, port, id, "lists"), wire(from, port, id, "lists"))
	}
	return workflowOf("w", nodes, wires)
}

// numbers is a workflow of about n bytes.
func numbers(n int) string {
	return workflowOf("w", []string{`{"id":"v","type":"control.value","config":{"value":[1` + strings.Repeat(",1", n/2) + `]}}`}, nil)
}

func largeFile(v *victim) {
	dir := filepath.Join(v.data, "files")
	require.NoError(v.t, os.MkdirAll(dir, 0o700))
	require.NoError(v.t, os.WriteFile(filepath.Join(dir, "large"), []byte(strings.Repeat("x", 60_000_000)), 0o600))
}

// storedOnes stores n large workflows and calls them all by a small one.
func storedOnes(v *victim, n int) {
	large, calls := numbers(8_000_000), []string{}
	for i := range n {
		id := fmt.Sprint("large", i)
		v.do(http.StatusCreated, "POST", "/workflows", strings.Replace(large, `"id":"w"`, fmt.Sprintf(`"id":%q`, id), 1))
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"control.subworkflow","config":{"workflowId":%q}}`, id, id))
	}
	v.together(8, "/execute", workflowOf("all", calls, nil))
}

// readNothing sends many requests on each of n connections and reads no answer.
func readNothing(v *victim, n int) {
	request := strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n", 1000)
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			c := v.dial()
			defer c.Close()
			_ = c.SetWriteDeadline(time.Now().Add(45 * time.Second))
			for err := error(nil); err == nil; {
				_, err = io.WriteString(c, request)
			}
		})
	}
	group.Wait()
}

// unreadAnswers requests n large answers and reads none of them.
func unreadAnswers(v *victim, n int) {
	body := strings.Replace(manyTexts(1), `{"id":"n0"`, `{"id":"out","type":"io.output","config":{"name":"out"}},{"id":"n0"`, 1)
	body = strings.Replace(body, `"connections":[`, `"connections":[`+wire("n0", "result", "out", "value")+",", 1)
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			c := v.dial()
			v.t.Cleanup(func() { _ = c.Close() })
			_, err := fmt.Fprintf(c, "POST /execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				binaryKey, len(body), body)
			require.NoError(v.t, err)
			_, _ = io.CopyN(io.Discard, c, 100) // the first bytes of an answer
		})
	}
	group.Wait()
	v.note(fmt.Sprintf("%d MB wait for %d clients", v.resident()>>20, n))
	require.Eventually(v.t, func() bool { return v.resident() < 300<<20 }, 50*time.Second, 100*time.Millisecond, "memory is not given back")
}

// manyConnections opens more connections than one address may have.
func manyConnections(v *victim) {
	conns := make([]net.Conn, 0, 1500)
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	refused := 0
	for range cap(conns) {
		c := v.dial()
		conns = append(conns, c)
	}
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); err != nil && !os.IsTimeout(err) {
			refused++
		}
	}
	v.note(fmt.Sprintf("%d closed", refused))
	require.GreaterOrEqual(v.t, refused, 500)
}
