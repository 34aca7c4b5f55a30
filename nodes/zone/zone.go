// Package zone finds time zones for nodes. The time zone database is embedded in the
// program, so that a name means the same on every machine.
package zone

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // containers often have no time zone database
)

// Table finds time zones by name. It caches the zones, since [time.LoadLocation] parses the
// database each time; there are about 600. The zero value is ready for use, and safe for
// concurrent use.
type Table struct{ known sync.Map }

// longest is a bound on the length of a name, in bytes.
const longest = 64

// Find returns the time zone called name: one of the database, such as Europe/Berlin, or an
// offset from UTC, such as +02:00. It refuses "Local", which would make a workflow depend
// on the machine that it runs on.
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

// Check returns an error if there is no time zone called name.
func (t *Table) Check(name string) error {
	_, err := t.Find(name)
	return err
}

func unknown(name string) error {
	return fmt.Errorf("there is no time zone %.64q; give a name such as UTC or Europe/Berlin, or a distance such as +02:00", name)
}
