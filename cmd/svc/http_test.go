package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// http [-key FILE] [-body FILE] METHOD URL [&] sends a request and prints status,
// content type and body. With -key it sends the key in that file. It succeeds if
// the status is 2xx. With & at the end it does not wait for the answer.
func httpCommand(ts *testscript.TestScript, neg bool, args []string) {
	background := len(args) > 0 && args[len(args)-1] == "&"
	if background {
		args = args[:len(args)-1]
	}
	key, body := "", ""
	for len(args) > 2 {
		switch args[0] {
		case "-key":
			key = strings.TrimSpace(ts.ReadFile(args[1]))
		case "-body":
			body = ts.ReadFile(args[1])
		}
		args = args[2:]
	}
	if len(args) != 2 {
		ts.Fatalf("usage: http [-key file] [-body file] method url")
	}
	req, err := http.NewRequest(args[0], args[1], strings.NewReader(body))
	ts.Check(err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if background {
		go func() { // ends with the server
			if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		return
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, _ = fmt.Fprintf(ts.Stdout(), "%d %s\n%s", resp.StatusCode, resp.Header.Get("Content-Type"), answer)
	if ok := resp.StatusCode/100 == 2; ok == neg {
		ts.Fatalf("%s %s: unexpected status %d: %s", args[0], args[1], resp.StatusCode, answer)
	}
}
