package desk_test

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
	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/uitest"
)

// bench is a desk with everything around it, on virtual time. The test is the window's
// goroutine and the user.
type bench struct {
	*desk.Desk
	t      *testing.T
	dir    string
	drafts *documents.Drafts
	jobs   *job.Runner
	back   *uitest.Queue
	place  desk.Place
	shelf  *shelf

	asked      []desk.Question
	targets    []func(desk.Target)
	proposal   desk.Proposal
	said       []desk.Notice
	complaints []error
	another    func() *desk.Desk
	beside     *desk.Desk // of another window, once there is one
	given      int
	raised     []*desk.Desk
	begun      int
	ended      int
	problems   engine.ValidationErrors
}

// onDesk runs a test with an empty desk.
func onDesk(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Helper()
	onDeskIn(t, t.TempDir(), f)
}

// onDeskIn is onDesk with what was kept in a folder.
func onDeskIn(t *testing.T, dir string, f func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		drafts, err := documents.OpenDrafts(filepath.Join(dir, "drafts"))
		require.NoError(t, err)
		tabs, err := documents.OpenTabs(filepath.Join(dir, "tabs.json"))
		require.NoError(t, err)
		b := &bench{t: t, dir: dir, drafts: drafts, back: &uitest.Queue{}, shelf: &shelf{stored: map[string]*workflow.Definition{}}}
		b.place = desk.Place{Store: b.shelf}
		b.jobs = job.New(b.back.Post)
		specs := doc.NewSpecs(nil, nil)
		c := desk.Config{
			User: b, Place: func() desk.Place { return b.place }, Specs: func() *doc.Specs { return specs },
			Drafts: drafts, Recent: documents.OpenRecent(filepath.Join(dir, "recent.json")), Tabs: tabs, Jobs: b.jobs,
			Begun: func(*desk.Work) { b.begun++ }, Fronted: func(*desk.Work) {}, Ending: func(*desk.Work) { b.ended++ },
			Reach: func(_ context.Context, server string) (desk.Place, error) {
				return desk.Place{URL: server, Store: b.shelf}, nil
			},
			Changed: func() { b.Keep() },
			Call:    func(o desk.Other) string { return strconv.Itoa(int(o)) },
			Checked: func(p engine.ValidationErrors) { b.problems = p },
			Given:   func(*desk.Work, *desk.Desk) { b.given++ },
			Raise:   func() { b.raised = append(b.raised, b.Desk) },
		}
		c.Another = func() *desk.Desk {
			beside := c
			beside.Raise = func() { b.raised = append(b.raised, b.beside) }
			b.beside = b.Beside(beside)
			return b.beside
		}
		b.another = c.Another
		b.Desk = desk.New(c)
		f(t, b)
		b.Clear(false)
		b.jobs.Close()
		b.settle()
		b.jobs.Wait()
		require.NoError(t, tabs.Close())
	})
}

// settle does what has come back, until nothing goes on that does not wait for time.
func (b *bench) settle() { b.back.Settle() }

// wait lets time go by.
func (b *bench) wait(d time.Duration) {
	const steps = 20
	for range steps {
		time.Sleep(d / steps) //nolint:forbidigo // of the bubble
		b.settle()
	}
}

func (b *bench) Ask(q desk.Question) { b.asked = append(b.asked, q) }

func (b *bench) AskTarget(p desk.Proposal, then func(desk.Target)) {
	b.proposal, b.targets = p, append(b.targets, then)
}

func (b *bench) Say(n desk.Notice) {
	if n != (desk.Notice{}) {
		b.said = append(b.said, n)
	}
}

func (b *bench) Complain(err error) { b.complaints = append(b.complaints, err) }

// answer answers the one question there is.
func (b *bench) answer(about desk.About, a desk.Answer) {
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
func (b *bench) cancel(about desk.About) {
	b.t.Helper()
	require.Len(b.t, b.asked, 1)
	require.Equal(b.t, about, b.asked[0].About)
	b.asked = nil
}

// target says where to save.
func (b *bench) target(t desk.Target) {
	b.t.Helper()
	require.Len(b.t, b.targets, 1)
	then := b.targets[0]
	b.targets = nil
	then(t)
	b.settle()
}

// complaint returns the one thing that was complained about.
func (b *bench) complaint() error {
	b.t.Helper()
	require.Len(b.t, b.complaints, 1)
	err := b.complaints[0]
	b.complaints = nil
	return err
}

// rename changes what is worked on.
func (b *bench) rename(name string) {
	b.t.Helper()
	require.NoError(b.t, b.Work().Document.SetName(name))
	b.Keep()
}

// names are what the works are called, in their order.
func (b *bench) names() []string { return namesOf(b.Desk) }

func namesOf(d *desk.Desk) (all []string) {
	for _, w := range d.Works() {
		all = append(all, w.Document.Name())
	}
	return all
}

// left returns the drafts that would be offered if the window went away now.
func (b *bench) left() []documents.Left {
	b.t.Helper()
	left, err := b.drafts.Left()
	require.NoError(b.t, err)
	return left
}

// file writes a workflow to a file and returns its path.
func (b *bench) file(name string) string {
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
