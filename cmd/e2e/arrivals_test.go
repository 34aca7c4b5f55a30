//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/nodes/email/dovecottest"
)

// arrivals is a workflow that starts when a file or a mail arrives, and takes a while.
const arrivals = `{"id":"arrivals","nodes":[
	{"id":"file","type":"trigger.file","config":{"dir":"in","pattern":"*.txt","events":["created"],"settleMs":50}},
	{"id":"mail","type":"trigger.email","config":{"credential":"email:main","every":"10s"}},
	{"id":"what","type":"control.merge"},{"id":"wait","type":"control.delay","config":{"ms":20}},
	{"id":"out","type":"io.output","config":{"name":"what"}}],
	"connections":[
	{"fromNodeId":"file","fromPort":"path","toNodeId":"what","toPort":"a"},
	{"fromNodeId":"mail","fromPort":"subject","toNodeId":"what","toPort":"b"},
	{"fromNodeId":"what","fromPort":"result","toNodeId":"wait","toPort":"value"},
	{"fromNodeId":"wait","fromPort":"value","toNodeId":"out","toPort":"value"}]}`

// arrive delivers a file and a mail, whether the server is running or not, and returns the
// expected outputs of their runs.
func (b *binary) arrive(box *mailbox, name string) []string {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.data, "files", "in", name+".txt"), []byte(name), 0o600))
	box.deliver(name)
	return []string{"in/" + name + ".txt", name}
}

// awaitArrivals delivers files and mails until both start a run, because those that exist at the
// first poll do not count as new. It returns those that have started one.
func (b *binary) awaitArrivals(box *mailbox) (seen []string) {
	b.t.Helper()
	n := 0
	require.Eventually(b.t, func() bool {
		if n < 20 {
			n++
			b.arrive(box, fmt.Sprint("first-", n))
		}
		_, going := b.arrived()
		runs, last := b.told(), fmt.Sprint("first-", n)
		return going == 0 && n == 20 && runs[last] == 1 && runs["in/"+last+".txt"] == 1
	}, time.Minute, 100*time.Millisecond, "%s", b.logged)
	return slices.Collect(maps.Keys(b.told()))
}

// requireArrivals requires that each file and each mail has made one run, which has completed.
func (b *binary) requireArrivals(came []string, patience time.Duration) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		completed, going := b.arrived()
		return going == 0 && len(completed) >= len(came)
	}, patience, 300*time.Millisecond, "all has come in the end")
	runs := b.told()
	for _, what := range came {
		require.Equal(b.t, 1, runs[what], "%s: none lost, none twice", what)
	}
	require.Len(b.t, runs, len(came))
}

// arrived returns the runs that have completed, and how many have not, and are not continued by another run
// with them.
func (b *binary) arrived() (completed []string, going int) {
	b.t.Helper()
	resumed := map[string]bool{}
	all := b.runsOf("arrivals")
	for _, r := range all {
		resumed[r.ResumedFrom] = true
	}
	for _, r := range all {
		switch {
		case r.Status == "completed":
			completed = append(completed, r.RunID)
		case !resumed[r.RunID]:
			going++
		}
	}
	return completed, going
}

// told returns how many runs have completed for each file or mail.
func (b *binary) told() map[string]int {
	b.t.Helper()
	runs := map[string]int{}
	completed, _ := b.arrived()
	for _, runID := range completed {
		var record struct {
			Result struct{ Outputs struct{ What string } }
		}
		require.NoError(b.t, json.Unmarshal(b.do(http.StatusOK, "GET", "/executions/"+runID, "").body, &record))
		runs[record.Result.Outputs.What]++
	}
	return runs
}

// mailbox is a mailbox of a Dovecot server that the test starts.
type mailbox struct {
	t            *testing.T
	dir, address string
	uid, gid     int
	mails        int
}

// newMailbox starts a server with testdata/dovecot.conf and ends it with the test.
func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	dir := dovecottest.Dir(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	box := &mailbox{t: t, dir: filepath.Join(dir, "mail"), address: l.Addr().String()}
	require.NoError(t, l.Close())
	nobody, err := user.Lookup("nobody")
	require.NoError(t, err)
	box.uid, _ = strconv.Atoi(nobody.Uid)
	box.gid, _ = strconv.Atoi(nobody.Gid)
	for _, sub := range []string{"", "new", "cur", "tmp"} {
		require.NoError(t, os.Mkdir(filepath.Join(box.dir, sub), 0o700))
		require.NoError(t, os.Chown(filepath.Join(box.dir, sub), box.uid, box.gid))
	}
	_, port, _ := strings.Cut(box.address, ":")
	dovecottest.Start(t, dir, box.address, map[string]string{"PORT": port})
	return box
}

// deliver puts a mail into the mailbox, as the Maildir convention has it.
func (box *mailbox) deliver(subject string) {
	box.t.Helper()
	box.mails++
	name := fmt.Sprintf("%d.%d.test", time.Now().UnixNano(), box.mails)
	text := fmt.Sprintf("From: Ann <ann@example.com>\r\nTo: ann@example.com\r\nSubject: %s\r\nMessage-ID: <%s@example.com>\r\nDate: %s\r\n\r\nText\r\n",
		subject, name, time.Now().Format(time.RFC1123Z))
	made := filepath.Join(box.dir, "tmp", name)
	require.NoError(box.t, os.WriteFile(made, []byte(text), 0o600))
	require.NoError(box.t, os.Chown(made, box.uid, box.gid))
	require.NoError(box.t, os.Rename(made, filepath.Join(box.dir, "new", name)))
}
