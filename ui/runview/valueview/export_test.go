package valueview

// Kind returns how the value is shown now; Auto without a value.
func (v *View) Kind() Kind {
	if !v.shown {
		return Auto
	}
	return v.kind
}
