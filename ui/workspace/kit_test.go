package workspace_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/uitest"
	"github.com/svcflow/svc/ui/workspace"
)

// fixture is a workspace and everything it needs, on virtual time. The test plays the window's
// goroutine and the user.
type fixture struct {
	*workspace.Workspace
	t      *testing.T
	dir    string
	drafts *documents.Drafts
	jobs   *job.Runner
	back   *uitest.Queue
	place  workspace.Host
	shelf  *shelf

	asked      []workspace.Question
	targets    []func(workspace.Target)
	proposal   workspace.Proposal
	said       []workspace.Notice
	complaints []error
	another    func() *workspace.Workspace
	beside     *workspace.Workspace // of another window, once there is one
	given      int
	raised     []*workspace.Workspace
	begun      int
	ended      int
	problems   engine.ValidationErrors
}

// inWorkspace runs a test with an empty workspace.
func inWorkspace(t *testing.T, f func(t *testing.T, b *fixture)) {
	t.Helper()
	onDeskIn(t, t.TempDir(), f)
}

// onDeskIn is onDesk with what was kept in a folder.
func onDeskIn(t *testing.T, dir string, f func(t *testing.T, b *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		drafts, err := documents.OpenDrafts(filepath.Join(dir, "drafts"))
		require.NoError(t, err)
		tabs, err := documents.OpenTabs(filepath.Join(dir, "tabs.json"))
		require.NoError(t, err)
		b := &fixture{t: t, dir: dir, drafts: drafts, back: &uitest.Queue{}, shelf: &shelf{stored: map[string]*workflow.Definition{}}}
		b.place = workspace.Host{Store: b.shelf}
		b.jobs = job.New(b.back.Post)
		specs := doc.NewSpecs(nil, nil)
		c := workspace.Config{
			User: b, Host: func() workspace.Host { return b.place }, Specs: func() *doc.Specs { return specs },
			Drafts: drafts, Recent: documents.OpenRecent(filepath.Join(dir, "recent.json")), Tabs: tabs, Jobs: b.jobs,
			Opened: func(*workspace.Session) { b.begun++ }, Activated: func(*workspace.Session) {}, Closing: func(*workspace.Session) { b.ended++ },
			Reach: func(_ context.Context, server string) (workspace.Host, error) {
				return workspace.Host{URL: server, Store: b.shelf}, nil
			},
			Changed: func() { b.SaveDrafts() },
			NameOf:  func(o workspace.Other) string { return strconv.Itoa(int(o)) },
			Checked: func(p engine.ValidationErrors) { b.problems = p },
			Moved:   func(*workspace.Session, *workspace.Workspace) { b.given++ },
			Raise:   func() { b.raised = append(b.raised, b.Workspace) },
		}
		c.NewWindow = func() *workspace.Workspace {
			beside := c
			beside.Raise = func() { b.raised = append(b.raised, b.beside) }
			b.beside = b.ForWindow(beside)
			return b.beside
		}
		b.another = c.NewWindow
		b.Workspace = workspace.New(c)
		f(t, b)
		b.Clear(false)
		b.jobs.Close()
		b.settle()
		b.jobs.Wait()
		require.NoError(t, tabs.Close())
	})
}

// settle runs the results of finished jobs until only timers are left.
func (b *fixture) settle() { b.back.Settle() }

// wait advances the time.
func (b *fixture) wait(d time.Duration) {
	const steps = 20
	for range steps {
		time.Sleep(d / steps) //nolint:forbidigo // of the bubble
		b.settle()
	}
}

func (b *fixture) Ask(q workspace.Question) { b.asked = append(b.asked, q) }

func (b *fixture) AskTarget(p workspace.Proposal, then func(workspace.Target)) {
	b.proposal, b.targets = p, append(b.targets, then)
}

func (b *fixture) Say(n workspace.Notice) {
	if n != (workspace.Notice{}) {
		b.said = append(b.said, n)
	}
}

func (b *fixture) Complain(err error) { b.complaints = append(b.complaints, err) }

// answer answers the one question there is.
func (b *fixture) answer(about workspace.About, a workspace.Answer) {
	b.t.Helper()
	require.Len(b.t, b.asked, 1)
	q := b.asked[0]
	require.Equal(b.t, about, q.About)
	require.Contains(b.t, q.Answers, a)
	b.asked = nil
	q.Then(a)
	b.settle()
}

// cancel leaves the one question without an answer.
func (b *fixture) cancel(about workspace.About) {
	b.t.Helper()
	require.Len(b.t, b.asked, 1)
	require.Equal(b.t, about, b.asked[0].About)
	b.asked = nil
}

// target says where to save.
func (b *fixture) target(t workspace.Target) {
	b.t.Helper()
	require.Len(b.t, b.targets, 1)
	then := b.targets[0]
	b.targets = nil
	then(t)
	b.settle()
}

// complaint returns the one thing that was complained about.
func (b *fixture) complaint() error {
	b.t.Helper()
	require.Len(b.t, b.complaints, 1)
	err := b.complaints[0]
	b.complaints = nil
	return err
}

// rename changes what is worked on.
func (b *fixture) rename(name string) {
	b.t.Helper()
	require.NoError(b.t, b.Active().Document.SetName(name))
	b.SaveDrafts()
}

// names are what the works are called, in their order.
func (b *fixture) names() []string { return namesOf(b.Workspace) }

func namesOf(d *workspace.Workspace) (all []string) {
	for _, w := range d.Sessions() {
		all = append(all, w.Document.Name())
	}
	return all
}

// left returns the drafts that would be offered if the window went away now.
func (b *fixture) left() []documents.OrphanDraft {
	b.t.Helper()
	left, err := b.drafts.Orphans()
	require.NoError(b.t, err)
	return left
}

// file writes a workflow to a file and returns its path.
func (b *fixture) file(name string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name+".json")
	_, err := documents.WriteFile(path, definition(name))
	require.NoError(b.t, err)
	return path
}

func definition(name string) *workflow.Definition {
	return &workflow.Definition{ID: "w", Name: name, Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
}

// errGone is what a server that is gone answers.
var errGone = errors.New("the server does not answer")

// shelf stores workflows. It takes its time, and may be gone.
type shelf struct {
	stored   map[string]*workflow.Definition
	saves    int
	takes    time.Duration
	gone     bool
	wrong    engine.ValidationErrors
	doubtful []engine.Hint
}

func (s *shelf) answer(ctx context.Context) error {
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.gone {
		return errGone
	}
	return nil
}

func (s *shelf) Workflow(ctx context.Context, id string) (*workflow.Definition, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	if def, ok := s.stored[id]; ok {
		return def, nil
	}
	return nil, workflow.ErrNotFound
}

func (s *shelf) Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	if err := s.answer(ctx); err != nil {
		return workflow.Meta{}, err
	}
	digest := ""
	if there, ok := s.stored[def.ID]; ok {
		digest = there.Digest()
	}
	if !cond.Holds(digest != "", digest) {
		return workflow.Meta{}, workflow.ErrConflict
	}
	s.stored[def.ID] = def
	s.saves++
	return workflow.Meta{ID: def.ID, Revision: s.saves}, nil
}

func (s *shelf) Hints(context.Context, *workflow.Definition) ([]engine.Hint, error) {
	return s.doubtful, nil
}

func (s *shelf) Validate(ctx context.Context, _ *workflow.Definition) (engine.ValidationErrors, error) {
	return s.wrong, s.answer(ctx)
}
