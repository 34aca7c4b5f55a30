package expr

// Reduce evaluates the expression for each item. [Acc] is the result for the previous item,
// or initial for the first. It checks the context for each item, because acc may be so
// large that one turn takes long. Only one acc is in memory at a time, so each has the full
// budget.
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
