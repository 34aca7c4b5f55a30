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
}

// placement is what it says, in a form that can be asked.
func (p *Placing) placement() (cluster.Placement, error) {
	place, err := cluster.ParsePlacement(p.Place...)
	if err != nil {
		return place, program.Usagef("--place: %s", err)
	}
	return place, nil
}

// Answering says which queues of placed nodes a worker answers.
type Answering struct {
	Answer       []string           `variable:"SVC_ANSWER" placeholder:"QUEUE" help:"Queues whose nodes this worker calls for those that place them there."`
	AnswerAtOnce int                `default:"100" variable:"SVC_ANSWER_AT_ONCE" placeholder:"N" help:"How many such nodes this process calls at once, of each queue."`
	AnswerRate   map[string]float64 `variable:"SVC_ANSWER_RATE" placeholder:"QUEUE=N" mapsep:"," help:"How many nodes of a queue all its workers together call in a second, such as gpu=2.5; as many as come by default."`
}

// queues are those it answers.
func (a *Answering) queues() ([]cluster.Queue, error) {
	if a.AnswerAtOnce < 1 {
		return nil, program.Usagef("--answer-at-once is a number from 1 on")
	}
	for _, name := range slices.Sorted(maps.Keys(a.AnswerRate)) {
		switch {
		case !slices.Contains(a.Answer, name):
			return nil, program.Usagef("--answer-rate is for queues that are answered; add --answer %s, or leave its rate out", name)
		case !(a.AnswerRate[name] > 0):
			return nil, program.Usagef("--answer-rate %s is a number above 0", name)
		}
	}
	queues := make([]cluster.Queue, len(a.Answer))
	for i, name := range a.Answer {
		if err := cluster.CheckQueue(name); err != nil {
			return nil, program.Usagef("--answer: %s", err)
		}
		queues[i] = cluster.Queue{Name: name, PerSecond: a.AnswerRate[name], AtOnce: a.AnswerAtOnce}
	}
	return queues, nil
}
