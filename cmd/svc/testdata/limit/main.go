// Command limit is what the server's throughput is measured against: bare
// net/http and encoding/json doing the work of the benchmark workflows without an
// engine.
//
//	POST /small/{n}   {"inputs":{"text":…}}  the text through n nodes
//	POST /full        a whole document       decoded, then its nodes one by one
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, mux)) //nolint:gosec // lives as long as a benchmark
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

func answer(w http.ResponseWriter, result string) {
	w.Header().Set("Content-Type", "application/json")
	text, _ := json.Marshal(map[string]any{"outputs": map[string]any{"result": result}}) // cannot fail
	_, _ = w.Write(text)
}
