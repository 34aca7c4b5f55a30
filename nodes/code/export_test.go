package code

// FromAsync returns the source of Array.fromAsync, which the engine lacks.
func FromAsync() string { return fromAsyncSource }
