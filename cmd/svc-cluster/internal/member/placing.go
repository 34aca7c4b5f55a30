package member

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/cmd/internal/program"
)

// Placing has the flags for placed nodes.
type Placing struct {
	Place []string `variable:"SVC_PLACE" placeholder:"TYPE=QUEUE" help:"Node types that workers with --answer QUEUE call, such as media.*=gpu. Give it to all processes that drive runs alike, or store it once with svc-cluster place."`

	placement cluster.Placement // set by read
}

// read parses the flags.
func (p *Placing) read() (err error) {
	if p.placement, err = cluster.ParsePlacement(p.Place...); err != nil {
		return program.Usagef("--place: %s", err)
	}
	return nil
}

// agree applies the stored placement of the cluster, if there is one, to a process that drives
// runs. A different --place is an error.
func (m *mates) agree(ctx context.Context, r *reached) error {
	if m.drives == 0 {
		return nil
	}
	kept, err := r.runs.Placement(ctx)
	if err != nil {
		return fmt.Errorf("--postgres: %w", err)
	}
	all, own := sorted(kept), sorted(m.placing.Place)
	switch {
	case all == "" || all == own:
		return nil
	case own != "":
		return fmt.Errorf("--place: the cluster has %s, not %s; omit the flag, or change the rules of the cluster with svc-cluster place", all, own)
	}
	if m.placing.placement, err = cluster.ParsePlacement(kept...); err != nil {
		return fmt.Errorf("the placement of the cluster is damaged; replace it with svc-cluster place: %w", err)
	}
	m.about.Flags[placeFlag] = all
	return nil
}

// Placement returns the stored placement rules, sorted.
func (s *Servers) Placement(ctx context.Context) (rules []string, err error) {
	err = s.asked(ctx, func(r *reached) error {
		rules, err = r.runs.Placement(ctx)
		return err
	})
	return rules, err
}

// Place replaces the stored placement rules, if they fit the processes of the cluster. Processes
// apply them at their next start.
func (s *Servers) Place(ctx context.Context, rules []string) error {
	placement, err := cluster.ParsePlacement(rules...)
	if err != nil {
		return program.UsageError{Err: err}
	}
	return s.asked(ctx, func(r *reached) error {
		look, err := r.kept.Outlook(ctx)
		if err != nil {
			return err
		}
		for _, m := range matesOf(look.Members) {
			if err := placement.Check(m.Types); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
		}
		return r.runs.Place(ctx, rules...)
	})
}

// asked calls do with a connection to the database only.
func (s *Servers) asked(ctx context.Context, do func(r *reached) error) error {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	r := &reached{}
	defer r.close()
	if err := r.open(ctx, s, -1); err != nil {
		return err
	}
	return do(r)
}

// Answering has the flags for queues that a worker answers.
type Answering struct {
	Answer       []string           `variable:"SVC_ANSWER" placeholder:"QUEUE" help:"Queues of placed nodes that this worker answers."`
	AnswerAtOnce int                `default:"100" variable:"SVC_ANSWER_AT_ONCE" placeholder:"N" help:"How many nodes of each queue this process calls at once."`
	AnswerRate   map[string]float64 `variable:"SVC_ANSWER_RATE" placeholder:"QUEUE=N" mapsep:"," help:"How many nodes of a queue all its workers together call per second, such as gpu=2.5; no limit by default."`

	queues []cluster.Queue // set by read
}

// read checks the flags and sets queues.
func (a *Answering) read() error {
	if a.AnswerAtOnce < 1 {
		return program.Usagef("--answer-at-once is a number from 1 on")
	}
	for _, name := range slices.Sorted(maps.Keys(a.AnswerRate)) {
		switch {
		case !slices.Contains(a.Answer, name):
			return program.Usagef("--answer-rate is for queues that are answered; add --answer %s, or leave its rate out", name)
		case !(a.AnswerRate[name] > 0):
			return program.Usagef("--answer-rate %s is a number above 0", name)
		}
	}
	a.queues = make([]cluster.Queue, len(a.Answer))
	for i, name := range a.Answer {
		if err := cluster.CheckQueue(name); err != nil {
			return program.Usagef("--answer: %s", err)
		}
		a.queues[i] = cluster.Queue{Name: name, PerSecond: a.AnswerRate[name], AtOnce: a.AnswerAtOnce}
	}
	return nil
}
