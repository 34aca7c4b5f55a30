package node

// Figure is a number that a plugin counts, for those who watch a service.
type Figure struct {
	// Name is what it is called, such as svc_media_renders_total. One that ends with _total
	// only ever grows; others go up and down.
	Name string
	Help string
	// Label and Is tell figures of the same name apart; "" for the only one. There are a few
	// of them, whatever workflows do.
	Label, Is string
	Value     float64
}

// Measured is implemented by plugins that have figures. They are asked for at any time, and by
// several at once.
type Measured interface {
	Figures() []Figure
}
