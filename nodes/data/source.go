package data

import "github.com/svcflow/svc/nodes/reading"

// maxText is the largest input that is read into memory, in bytes.
const maxText = reading.MaxWhole
