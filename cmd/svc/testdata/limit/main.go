// Command limit is what the server's throughput is measured against: bare
// net/http and encoding/json doing the work of the benchmark workflows without an
// engine.
//
//	POST /small/{n}   {"inputs":{"text":…}}  the text through n nodes
//	POST /full        a whole document       decoded, then its nodes one by one
//	POST /orders      {"inputs":{"text":…}}  a JSON text parsed, mapped, filtered, added up
//	POST /fetch/{n}   {"inputs":{"text":…}}  the address asked n times at once
//	GET /wait         what to ask: it answers after 50 ms
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

type request struct {
	Inputs map[string]any `json:"inputs"`
}

type document struct {
	ID    string `json:"id"`
	Nodes []struct {
		ID     string         `json:"id"`
		Type   string         `json:"type"`
		Config map[string]any `json:"config"`
	} `json:"nodes"`
	Connections []struct {
		FromNodeID string `json:"fromNodeId"`
		FromPort   string `json:"fromPort"`
		ToNodeID   string `json:"toNodeId"`
		ToPort     string `json:"toPort"`
	} `json:"connections"`
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /small/{n}", small)
	mux.HandleFunc("POST /full", full)
	mux.HandleFunc("POST /orders", orders)
	mux.HandleFunc("POST /fetch/{n}", fetch)
	mux.HandleFunc("GET /wait", wait)
	new(streams).mount(mux)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, mux)) // lives as long as a benchmark
}

func small(w http.ResponseWriter, r *http.Request) {
	var req request
	if !decode(w, r, &req) {
		return
	}
	n, _ := strconv.Atoi(r.PathValue("n"))
	text, _ := req.Inputs["text"].(string)
	answer(w, work(text, n))
}

func full(w http.ResponseWriter, r *http.Request) {
	var doc document
	if !decode(w, r, &doc) {
		return
	}
	text, _ := doc.Nodes[len(doc.Nodes)-2].Config["default"].(string)
	answer(w, work(text, len(doc.Nodes)-2))
}

// orders goes step by step as the workflow does: a list of records, a list of
// those wanted, and their sum.
func orders(w http.ResponseWriter, r *http.Request) {
	var req request
	if !decode(w, r, &req) {
		return
	}
	text, _ := req.Inputs["text"].(string)
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var mapped, kept []any
	for _, e := range doc.(map[string]any)["data"].(map[string]any)["items"].([]any) {
		item := e.(map[string]any)
		mapped = append(mapped, map[string]any{"id": item["id"], "active": item["active"], "total": item["price"].(float64) * item["qty"].(float64)})
	}
	for _, e := range mapped {
		if item := e.(map[string]any); item["active"].(bool) && item["total"].(float64) > 100 {
			kept = append(kept, item)
		}
	}
	sum := 0.0
	for _, e := range kept {
		sum += e.(map[string]any)["total"].(float64)
	}
	answer(w, sum)
}

// fetch asks one address several times at once and joins the answers.
func fetch(w http.ResponseWriter, r *http.Request) {
	var req request
	if !decode(w, r, &req) {
		return
	}
	n, _ := strconv.Atoi(r.PathValue("n"))
	address, _ := req.Inputs["text"].(string)
	parts := make([]string, n)
	ctx := r.Context()
	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() { parts[i] = get(ctx, address) })
	}
	group.Wait()
	answer(w, strings.Join(parts, ""))
}

//nolint:gochecknoglobals // a program of one purpose
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}}

func get(ctx context.Context, address string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err.Error()
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

func wait(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(50 * time.Millisecond):
		_, _ = io.WriteString(w, "hello.")
	case <-r.Context().Done():
	}
}

// work is what n text nodes do.
func work(text string, n int) string {
	if n == 1 {
		return strings.ToUpper(text)
	}
	for range n {
		text += "."
	}
	return text
}

func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

func answer(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	text, _ := json.Marshal(map[string]any{"outputs": map[string]any{"result": result}}) // cannot fail
	_, _ = w.Write(text)
}
