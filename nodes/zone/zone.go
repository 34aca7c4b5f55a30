// Package zone finds time zones for nodes. The table of time zones is part of the program,
// so that a name means the same everywhere.
package zone

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // machines in containers have no table of their own
)

// Table finds time zones by name. The library reads its table anew each time, so those
// that were found are kept: there are some six hundred. Its zero value is ready for use,
// and safe for concurrent use.
type Table struct{ known sync.Map }

// longest is longer than the name of any zone, in bytes.
const longest = 64

// Find returns the zone of that name: one of the table, such as Europe/Berlin, or a
// distance from UTC, such as +02:00. What the machine is set to has no name here: it
// would make a workflow depend on where it runs.
func (t *Table) Find(name string) (*time.Location, error) {
	if at, ok := t.known.Load(name); ok {
		return at.(*time.Location), nil
	}
	if name == "" || name == "Local" || len(name) > longest {
		return nil, unknown(name)
	}
	if distance, err := time.Parse("-07:00", name); err == nil {
		_, seconds := distance.Zone()
		return time.FixedZone("", seconds), nil
	}
	at, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown(name)
	}
	t.known.Store(name, at)
	return at, nil
}

// Check returns what is wrong with the name of a zone.
func (t *Table) Check(name string) error {
	_, err := t.Find(name)
	return err
}

func unknown(name string) error {
	return fmt.Errorf("there is no time zone %.64q; give a name such as UTC or Europe/Berlin, or a distance such as +02:00", name)
}
