package valueview

// Kind returns how the value is shown now; Auto if there is none.
func (v *View) Kind() Kind {
	if !v.shown {
		return Auto
	}
	return v.kind
}
