package expr

// Reduce evaluates the expression for each item, with [Acc] as what it gave for the item
// before, and initial for the first. It looks at the context for each item, since acc may be so big that one turn
// takes long. Only one acc is kept at a time, so each has the budget for itself.
func (e *Evaluation) Reduce(list []any, initial any) (any, error) {
	e.acc = initial
	for i, item := range list {
		if err := e.meter.ctx.Err(); err != nil {
			return nil, err
		}
		e.results = sizer{left: e.of.limits.built}
		acc, err := e.At(i, item)
		if err != nil {
			return nil, err
		}
		e.acc = acc
	}
	return e.acc, nil
}
