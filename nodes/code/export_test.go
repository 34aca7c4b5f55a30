package code

// FromAsync is what scripts have of ECMAScript that the engine has not.
func FromAsync() string { return fromAsyncSource }
