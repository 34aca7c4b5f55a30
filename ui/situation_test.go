package ui

import (
	"os"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/workspace"
)

// situation is a state of the window in which everything is tried.
type situation struct {
	*bench

	server   *faulty            // where the user works; nil for this computer
	precious *workspace.Session // which has that
	mark     string             // the document that must not be lost; empty while nothing is open
	again    func()             // brings about what an action may end, such as a dialog
}

// situations brings the window into every state that it can be in.
func situations() map[string]func(s *situation) {
	return map[string]func(s *situation){
		"nothing open": func(*situation) {},
		"nothing could be opened": func(s *situation) {
			s.Open(s.spoilt("bad.json"))
			s.settle()
			require.Nil(s.t, s.workspace.Active())
		},
		"another could not be opened": func(s *situation) {
			s.work()
			s.Open(s.spoilt("bad.json"))
			s.settle()
		},
		"made invalid outside": func(s *situation) {
			file := s.file()
			s.work()
			require.NoError(s.t, os.WriteFile(file, []byte(`{"id":`), 0o600))
		},
		"changed outside": func(s *situation) {
			file := s.file()
			s.work()
			theirs := stored("w")
			theirs.Name = "Theirs"
			_, err := documents.WriteFile(file, theirs)
			require.NoError(s.t, err)
			s.again = func() { s.commands.Run("file.save") }
		},
		"a place that is only read": func(s *situation) {
			s.away()
			s.server.readOnly = true
			s.work()
		},
		"the server gone": func(s *situation) {
			s.away()
			s.work()
			s.server.fail(errGone)
			s.wait(time.Minute)
		},
		"the key not taken any more": func(s *situation) {
			s.away()
			s.work()
			s.server.fail(errWrongKey)
			s.wait(time.Minute)
		},
		"gone in the middle of a run": func(s *situation) {
			s.away()
			s.long()
			s.server.fail(errGone)
			s.wait(time.Second)
		},
		"a run goes on": func(s *situation) { s.long() },
		"a run has ended": func(s *situation) {
			s.work()
			s.run("run.start")
			s.wait(time.Second)
		},
		"a past run is shown": func(s *situation) {
			s.work()
			s.run("run.start")
			s.wait(time.Second)
			id := s.runs.Shown().ID
			s.again = func() {
				s.running.open(id)
				s.wait(time.Second)
			}
		},
		"a dialog open":   func(s *situation) { s.work(); s.again = func() { s.commands.Run("help.about") } },
		"a form open":     func(s *situation) { s.work(); s.again = func() { s.commands.Run("file.save-as") } },
		"a question open": func(s *situation) { s.work(); s.again = func() { s.commands.Run("tab.close") } },
		"several open": func(s *situation) {
			s.run("file.new")
			s.run("file.new")
			s.work()
			s.again = func() {
				for len(s.workspace.Sessions()) < 3 {
					s.run("file.new")
				}
				s.workspace.Front(s.precious)
			}
		},
		"in a window of its own": func(s *situation) {
			s.work()
			s.bench = s.second()
		},
		"a window beside": func(s *situation) {
			s.run("file.new")
			s.second()
			s.work()
			s.again = func() {
				if s.secondWindow().hidden {
					s.run("file.new")
					s.second()
					s.workspace.Front(s.precious)
				}
			}
		},
		"a run goes on behind": func(s *situation) {
			s.long()
			start := s.again
			s.again = func() {
				start()
				s.run("file.new")
			}
		},
		"the start page in front": func(s *situation) {
			s.work()
			s.again = func() { s.commands.Run("file.start") }
		},
		"a picker open": func(s *situation) { s.work(); s.again = func() { s.commands.Run("node.add") } },
		"a menu open": func(s *situation) {
			s.work()
			s.again = func() { s.editing.Request(board.Request{Kind: board.RequestMenu}) }
		},
		"in the middle of a gesture": func(s *situation) {
			s.work()
			s.again = func() { s.press(s.node()) }
		},
		"within a body": func(s *situation) {
			s.work()
			s.run("edit.select-all")
			s.run("node.into.control.foreach")
			s.mark = s.text()
			s.again = func() { s.commands.Run("node.enter") }
		},
	}
}
