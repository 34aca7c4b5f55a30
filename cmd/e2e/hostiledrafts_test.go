//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// draftAttacks store workflows that are expensive to validate, to list and to store.
func draftAttacks() []attack {
	return []attack{
		{name: "a draft of 150,000 unknown keys", budget: "judged with bounds before it is stored", always: true, peak: 300, do: storedDraft},
		{name: "25 revisions of 8 MB", budget: "a list judges 128 MiB and keeps what it found", within: 3 * time.Second, do: bigRevisions},
		{name: "20,000 workflows listed", budget: "48 MiB of definitions are kept", peak: 300, within: 3 * time.Second, do: manyListed},
		{name: "1,000 descriptions of 1 MB", budget: "4 KiB of each in a list", peak: 400, within: 3 * time.Second, do: longDescriptions},
		{name: "a value nested 1,000 deep, stored", budget: "3 times the text", do: deepStored},
	}
}

func storedDraft(v *victim) {
	draft := workflowOf("draft", []string{`{"id":"v","type":"control.value","config":{` + unknownKeys(150_000) + `}}`}, nil)
	v.post("/workflows", draft)
	for range 3 {
		v.ask("GET", "/workflows", "")
	}
	v.post("/workflows/draft/run", "{}")
}

func bigRevisions(v *victim) {
	for i := range 25 {
		list := strings.TrimSuffix(strings.Repeat(`{"id":1234,"name":"some name"},`, 8<<20/31), ",")
		v.do(http.StatusCreated, "POST", "/workflows", workflowOf("w", []string{fmt.Sprintf(`{"id":"v%d","type":"control.value","config":{"value":[%s]}}`, i, list)}, nil))
	}
	for i := range 26 {
		began := time.Now()
		r := v.do(http.StatusOK, "GET", "/workflows/w/revisions", "")
		if left := strings.Count(string(r.body), `"unchecked":true`); left == 0 {
			v.note(fmt.Sprintf("all of them, asked %d times, the last time in %v", i+1, time.Since(began).Round(time.Millisecond)))
			return
		}
	}
	require.FailNow(v.t, "it never knew all of them")
}

// inParallel saves n workflows on eight connections.
func (v *victim) inParallel(n int, body func(i int) string) {
	var group sync.WaitGroup
	for c := range 8 {
		group.Go(func() {
			for i := c; i < n; i += 8 {
				if r, err := v.try("POST", "/workflows", body(i)); err != nil || r.status != http.StatusCreated {
					v.note(fmt.Sprintf("%d %v", r.status, err))
					return
				}
			}
		})
	}
	group.Wait()
}

func manyListed(v *victim) {
	v.inParallel(20_000, func(i int) string {
		return workflowOf(fmt.Sprint("w", i), []string{`{"id":"v","type":"control.value","config":{"value":1}}`}, nil)
	})
	before := v.resident()
	for range 3 {
		v.ask("GET", "/workflows", "")
	}
	v.client.CloseIdleConnections()
	least := v.resident()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && least > before+64<<20; {
		<-time.After(200 * time.Millisecond)
		least = min(least, v.resident())
	}
	v.note(fmt.Sprintf("%d MB before, %d MB after", before>>20, least>>20))
}

func longDescriptions(v *victim) {
	text := strings.Repeat("long ", 200_000)
	v.inParallel(1_000, func(i int) string {
		return fmt.Sprintf(`{"id":"w%d","description":%q,"nodes":[],"connections":[]}`, i, text)
	})
	v.ask("GET", "/workflows", "")
}

func deepStored(v *victim) {
	const deep = 990
	value := strings.Repeat("[", deep) + strings.TrimSuffix(strings.Repeat("1,", 500_000), ",") + strings.Repeat("]", deep)
	v.post("/workflows", workflowOf("w", []string{`{"id":"v","type":"control.value","config":{"value":` + value + `}}`}, nil))
	stored := v.sizeOf("workflows")
	require.Less(v.t, stored, 4<<20)
	v.note(fmt.Sprintf("1 MB is stored in %d kB", stored>>10))
}
