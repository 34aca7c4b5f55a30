package app

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// fire makes the firing that a request asks for; nil if it asks for none. Nothing fires
// unless it is asked for: who starts a workflow by its inputs must not set off the mails
// of its schedule.
func (c *compiled) fire(q run.Request) (*engine.Firing, error) {
	switch {
	case q.Trigger != "":
		firing, problems := c.plan.Fire(q.Trigger, q.Payload, time.Now())
		if len(problems) > 0 {
			return nil, problems
		}
		return firing, nil
	case len(q.Payload) > 0:
		return nil, engine.ValidationErrors{{
			Code: engine.CodeUnknownTrigger, Message: "there is a payload, and no trigger that it is for", Hint: `name the node that is to fire in "trigger"`,
		}}
	}
	if problem := c.plan.NeedsTrigger(); problem != nil {
		return nil, engine.ValidationErrors{problem}
	}
	return nil, nil
}
