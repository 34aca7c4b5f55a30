package time

import (
	"fmt"
	"sync"
	"time"
)

// zones finds time zones by name. The library reads its table anew each time, so those
// that were found are kept: there are some six hundred.
type zones struct{ known sync.Map }

// maxZone is longer than the name of any zone, in bytes.
const maxZone = 64

// find returns the zone of that name: one of the table, such as Europe/Berlin, or a
// distance from UTC, such as +02:00. What the machine is set to has no name here: it
// would make a workflow depend on where it runs.
func (z *zones) find(name string) (*time.Location, error) {
	if at, ok := z.known.Load(name); ok {
		return at.(*time.Location), nil
	}
	if name == "" || name == "Local" || len(name) > maxZone {
		return nil, unknownZone(name)
	}
	if distance, err := time.Parse("-07:00", name); err == nil {
		_, seconds := distance.Zone()
		return time.FixedZone("", seconds), nil
	}
	at, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknownZone(name)
	}
	z.known.Store(name, at)
	return at, nil
}

func (z *zones) check(name string) error {
	_, err := z.find(name)
	return err
}

func unknownZone(name string) error {
	return fmt.Errorf("there is no time zone %q; give a name such as UTC or Europe/Berlin, or a distance such as +02:00", cut(name))
}

// cut bounds what a message shows of a text.
func cut(s string) string {
	if r := []rune(s); len(r) > maxZone {
		return string(r[:maxZone]) + "…"
	}
	return s
}
