package member

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/cmd/internal/program"
)

// Placing says which nodes whoever drives a run leaves to others.
type Placing struct {
	Place []string `variable:"SVC_PLACE" placeholder:"TYPE=QUEUE" help:"Which nodes other workers call, those with --answer QUEUE, such as media.*=gpu; the same for all that drive runs."`

	placement cluster.Placement // what it says, once it is read
}

// read reads what it says.
func (p *Placing) read() (err error) {
	if p.placement, err = cluster.ParsePlacement(p.Place...); err != nil {
		return program.Usagef("--place: %s", err)
	}
	return nil
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
