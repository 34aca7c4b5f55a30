package member

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/cmd/internal/program"
)

// Placing says which nodes whoever drives a run leaves to others.
type Placing struct {
	Place []string `variable:"SVC_PLACE" placeholder:"TYPE=QUEUE" help:"Which nodes other workers call, those with --answer QUEUE, such as media.*=gpu; the same for all that drive runs. It may be left out where the cluster keeps that (svc-cluster place)."`

	placement cluster.Placement // what it says, once it is read
}

// read reads what it says.
func (p *Placing) read() (err error) {
	if p.placement, err = cluster.ParsePlacement(p.Place...); err != nil {
		return program.Usagef("--place: %s", err)
	}
	return nil
}

// agree has a process that drives runs place nodes as its cluster does, if that keeps rules.
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
		return fmt.Errorf("--place: the cluster keeps %s, and not %s; leave the flag out, or have it keep others with svc-cluster place", all, own)
	}
	if m.placing.placement, err = cluster.ParsePlacement(kept...); err != nil {
		return fmt.Errorf("svc-cluster place: what the cluster keeps is damaged; have it keep others: %w", err)
	}
	m.about.Flags[placeFlag] = all
	return nil
}

// Placement returns the rules that the cluster keeps, in order.
func (s *Servers) Placement(ctx context.Context) (rules []string, err error) {
	err = s.asked(ctx, func(r *reached) error {
		rules, err = r.runs.Placement(ctx)
		return err
	})
	return rules, err
}

// Place has the cluster keep rules instead of those before, if its processes know what they are
// about. Processes keep to them from their next start on.
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

// asked does something with the database alone.
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

// Answering says which queues of placed nodes a worker answers.
type Answering struct {
	Answer       []string           `variable:"SVC_ANSWER" placeholder:"QUEUE" help:"Queues whose nodes this worker calls for those that place them there."`
	AnswerAtOnce int                `default:"100" variable:"SVC_ANSWER_AT_ONCE" placeholder:"N" help:"How many such nodes this process calls at once, of each queue."`
	AnswerRate   map[string]float64 `variable:"SVC_ANSWER_RATE" placeholder:"QUEUE=N" mapsep:"," help:"How many nodes of a queue all its workers together call in a second, such as gpu=2.5; as many as come by default."`

	queues []cluster.Queue // those it answers, once that is read
}

// read reads what it says.
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
