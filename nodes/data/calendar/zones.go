package calendar

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/reading"
)

// zones finds the time zones of one VCALENDAR.
type zones struct {
	find     func(name string) (*time.Location, error) // in the IANA database
	own      map[string]*timezone                      // the VTIMEZONEs of this VCALENDAR
	file     map[string]*timezone                      // and those of the whole file
	floating *time.Location                            // of times that name none
	utc      *time.Location                            // of times in UTC
	notes    *reading.Notes
	known    map[string]*time.Location // nil for unknown zones
}

// newZones returns the zones of c, a part of a file with the given VTIMEZONEs. Times that name no zone are in its
// X-WR-TIMEZONE or else in at. Events in UTC repeat in X-WR-TIMEZONE, too: programs that
// write it have them follow its clock changes.
func newZones(c *calendar, file map[string]*timezone, o *Options, notes *reading.Notes) *zones {
	z := &zones{find: o.Find, own: c.zones, file: file, floating: o.Zone, utc: time.UTC, notes: notes, known: map[string]*time.Location{}}
	if c.zone == "" {
		return z
	}
	if at := z.named(c.zone); at != nil {
		z.floating, z.utc = at, at
	} else {
		notes.Repaired(0, "", "the time zone %q (X-WR-TIMEZONE) is not known; times that name no zone are in %s", reading.Cut(c.zone), o.Zone)
	}
	return z
}

// place returns where and when s is.
func (z *zones) place(s *stamp, line int, item string) place {
	p := place{wall: s.wall, isDate: s.isDate, at: z.floating}
	switch {
	case s.isDate:
	case s.offset != nil:
		p.at = time.FixedZone("", *s.offset)
	case s.tzid != "" && z.named(zoneID(s.tzid)) != nil:
		p.at = z.named(zoneID(s.tzid))
		if s.isUTC {
			z.notes.Repaired(line, item, "a time has the zone %q and a Z; the zone was taken", reading.Cut(s.tzid))
		}
	case s.isUTC:
		p.wall, p.at = place{wall: s.wall, at: time.UTC}.in(z.utc), z.utc
	case s.tzid != "":
		z.notes.Repaired(line, item, "the time zone %q is not known; the time was read in %s", reading.Cut(s.tzid), z.floating)
	default:
		p.floating = z.utc == time.UTC
	}
	return p
}

// zoneID returns a TZID without the slash that marks it as globally unique.
func zoneID(id string) string { return strings.Trim(strings.TrimSpace(id), "/") }

// longestZone is longer than any name of a zone, in bytes: each part of a name is looked up.
const longestZone = 256

// named returns the zone that a TZID names, or nil: a name of the IANA database, a VTIMEZONE
// of the file, a name of Windows, a name of the database at the end of a path, or a description
// such as "(UTC+01:00) Berlin".
func (z *zones) named(id string) *time.Location {
	if at, ok := z.known[id]; ok {
		return at
	}
	at := z.look(id)
	z.known[id] = at
	return at
}

func (z *zones) look(id string) *time.Location {
	if len(id) > longestZone {
		return nil
	}
	if at, err := z.find(id); err == nil {
		return at
	}
	own := cmp.Or(z.own[id], z.file[id])
	location := ""
	if own != nil {
		if at := own.load(); at != nil {
			return at
		}
		location = own.location
	}
	for _, name := range []string{location, windowsZones[id], windowsZones[standard(id)]} {
		if at, err := z.find(name); name != "" && err == nil {
			return at
		}
	}
	for rest := id; ; {
		_, after, found := strings.Cut(rest, "/")
		if !found {
			return z.described(id)
		}
		if at, err := z.find(after); err == nil {
			return at
		}
		rest = after
	}
}

// standard returns a Windows name without the differences that programs make: daylight for
// standard time, and other spaces.
func standard(id string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(id), " "), "Daylight Time", "Standard Time")
}

var offsetName = regexp.MustCompile(`^\(?(?:UTC|GMT)([+-]\d{1,2}):?(\d{2})?\)?`)

// described returns the zone of a name such as "(UTC+01:00) Amsterdam, Berlin", with which
// Windows describes its zones: that of one of the cities, if it has this offset in winter or
// summer, or else the fixed offset. GMT-0500 is an offset, too.
func (z *zones) described(id string) *time.Location {
	text := strings.ReplaceAll(id, "\u2212", "-")
	found := offsetName.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	hours := found[1]
	if len(hours) == len("+1") {
		hours = hours[:1] + "0" + hours[1:]
	}
	seconds, ok := offsetOf(hours + found[2])
	if !ok {
		return nil
	}
	at := time.FixedZone(found[0], seconds)
	places := strings.TrimSpace(text[len(found[0]):])
	if places == "" {
		return at
	}
	if city := z.city(places, seconds); city != nil {
		at = city
	}
	z.notes.Repaired(0, "", "the time zone %q is not in the file; it was read as %s", reading.Cut(id), at)
	return at
}

// city returns the zone of one of some places, such as "Amsterdam, Berlin" or "Eastern Time
// (US & Canada)", or nil. The standard time of the zone has to have the given offset.
func (z *zones) city(places string, seconds int) *time.Location {
	name, _, _ := strings.Cut(places, " Time (US")
	places = cmp.Or(windowsZones[name+" Standard Time"], places)
	for name := range strings.SplitSeq(places, ",") {
		name = strings.ReplaceAll(strings.TrimSpace(name), " ", "_")
		for _, area := range []string{"", "Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/"} {
			if at, err := z.find(area + name); err == nil && name != "" && standardOffset(at) == seconds {
				return at
			}
		}
	}
	return nil
}

// standardOffset returns the seconds from UTC of the standard time of a zone, in 2026.
func standardOffset(at *time.Location) int {
	_, january := time.Date(2026, 1, 1, 0, 0, 0, 0, at).Zone()
	_, july := time.Date(2026, 7, 1, 0, 0, 0, 0, at).Zone()
	return min(january, july)
}
