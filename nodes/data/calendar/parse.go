package calendar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/nodes/reading"
)

// The limits of a calendar: its bytes, the nesting of its components, and the events that
// it yields.
const (
	maxBytes  = 16 << 20
	maxDepth  = 16
	maxEvents = 10_000
)

// calendar is a VCALENDAR.
type calendar struct {
	zone   string // X-WR-TIMEZONE
	cancel bool   // METHOD:CANCEL
	events []*entry
	zones  map[string]*timezone
}

// entry is a VEVENT as it is written.
type entry struct {
	line                                      int
	start, end, duration, id                  *property // nil if absent; id is the RECURRENCE-ID
	rules, exrules, dates, exdates            []property
	uid, title, location, description, status string
	sequence                                  int
	modified, stamped                         string // LAST-MODIFIED and DTSTAMP
}

// timezone is a VTIMEZONE.
type timezone struct {
	id, location string
	observances  []*observance
}

// observance is a STANDARD or DAYLIGHT part of a VTIMEZONE.
type observance struct {
	start, from, to *property // nil if absent
	rules, dates    []property
}

// parser builds the calendars of a text.
type parser struct {
	notes     *reading.Notes
	stack     []string // the names of the open components
	calendars []*calendar
	entry     *entry
	zone      *timezone
	part      *observance
	last      *string // the text that was read last
}

// parse reads the components of text.
func parse(text string, notes *reading.Notes) ([]*calendar, error) {
	p := parser{notes: notes}
	source := newLines(text)
	for {
		line, more := source.read()
		if !more {
			break
		}
		prop, ok := parseLine(line, source.number)
		switch {
		case !ok:
			p.stray(line, source.number)
		case prop.name == "BEGIN":
			if err := p.begin(strings.ToUpper(strings.TrimSpace(prop.value)), prop.line); err != nil {
				return nil, err
			}
		case prop.name == "END":
			p.end(strings.ToUpper(strings.TrimSpace(prop.value)), prop.line)
		default:
			p.take(&prop)
		}
	}
	return p.calendars, p.finish(source.next)
}

// stray handles a line that is no property: the line of a text that should have been folded
// or escaped.
func (p *parser) stray(line string, number int) {
	switch {
	case p.last != nil:
		*p.last += "\n" + strings.ToValidUTF8(unescape(line), "\uFFFD")
		p.notes.Repaired(number, "", "the line %q has no name; it was added to the text before it", reading.Cut(line))
	case len(p.stack) > 0:
		p.notes.Repaired(number, "", "the line %q is no property and was left out", reading.Cut(line))
	}
}

func (p *parser) begin(name string, line int) error {
	p.last = nil
	for i, open := range p.stack {
		if open == name && (name == "VEVENT" || name == "VCALENDAR" || name == "VTIMEZONE") {
			p.notes.Repaired(line, "", "END:%s is missing before this line", name)
			p.closeTo(i)
			break
		}
	}
	if p.stack = append(p.stack, name); len(p.stack) > maxDepth {
		return reading.TooMuch("line %d: parts of the calendar nest deeper than %d", line, maxDepth)
	}
	if name == "VCALENDAR" || len(p.calendars) == 0 && (name == "VEVENT" || name == "VTIMEZONE") {
		if name != "VCALENDAR" {
			p.notes.Repaired(line, "", "BEGIN:VCALENDAR is missing")
		}
		p.calendars = append(p.calendars, &calendar{zones: map[string]*timezone{}})
	}
	switch {
	case name == "VEVENT":
		p.entry = &entry{line: line}
	case name == "VTIMEZONE":
		p.zone = &timezone{}
	case p.zone != nil && (name == "STANDARD" || name == "DAYLIGHT"):
		p.part = &observance{}
		p.zone.observances = append(p.zone.observances, p.part)
	}
	return nil
}

func (p *parser) end(name string, line int) {
	p.last = nil
	for i, open := range slices.Backward(p.stack) {
		if open != name {
			continue
		}
		if missing := p.stack[i+1:]; len(missing) > 0 {
			p.notes.Repaired(line, "", "END:%s is missing before this line", missing[len(missing)-1])
		}
		p.closeTo(i)
		return
	}
	p.notes.Repaired(line, "", "END:%s ends nothing and was left out", reading.Cut(name))
}

// closeTo ends the open components from position i on.
func (p *parser) closeTo(i int) {
	for _, name := range p.stack[i:] {
		switch name {
		case "VEVENT":
			if c := p.calendars[len(p.calendars)-1]; p.entry.start != nil || p.entry.cancelled() || c.cancel {
				c.events = append(c.events, p.entry)
			} else {
				p.notes.Dropped(p.entry.line, p.entry.item(), "it has no start (DTSTART)")
			}
			p.entry = nil
		case "VTIMEZONE":
			c := p.calendars[len(p.calendars)-1]
			if p.zone.id != "" && c.zones[p.zone.id] == nil {
				c.zones[p.zone.id] = p.zone
			}
			p.zone, p.part = nil, nil
		case "STANDARD", "DAYLIGHT":
			p.part = nil
		}
	}
	p.stack = p.stack[:i]
}

// finish handles the end of the text. An event that is not ended there is dropped: its last
// line may be cut.
func (p *parser) finish(line int) error {
	switch {
	case len(p.calendars) == 0:
		return reading.Invalid("the calendar cannot be read: it has no line BEGIN:VCALENDAR")
	case p.entry != nil:
		p.notes.Dropped(p.entry.line, p.entry.item(), "the calendar breaks off in it, at line %d; get the whole file", line)
	case len(p.stack) > 0:
		p.notes.Repaired(line, "", "the calendar breaks off: END:%s is missing; events may be missing, too", p.stack[0])
	}
	return nil
}

// take keeps the properties that are needed.
func (p *parser) take(prop *property) {
	p.last = nil
	if len(p.stack) == 0 {
		return
	}
	switch p.stack[len(p.stack)-1] {
	case "VEVENT":
		p.last = p.entry.take(prop)
	case "VCALENDAR":
		c := p.calendars[len(p.calendars)-1]
		switch prop.name {
		case "X-WR-TIMEZONE":
			c.zone = strings.TrimSpace(prop.text())
		case "METHOD":
			c.cancel = strings.EqualFold(strings.TrimSpace(prop.value), "CANCEL")
		}
	case "VTIMEZONE":
		switch prop.name {
		case "TZID":
			p.zone.id = zoneID(prop.text())
		case "X-LIC-LOCATION":
			p.zone.location = strings.TrimSpace(prop.text())
		}
	case "STANDARD", "DAYLIGHT":
		if p.part != nil {
			p.part.take(prop)
		}
	}
}

func (o *observance) take(prop *property) {
	switch prop.name {
	case "DTSTART":
		o.start = prop
	case "TZOFFSETFROM":
		o.from = prop
	case "TZOFFSETTO":
		o.to = prop
	case "RRULE":
		o.rules = append(o.rules, *prop)
	case "RDATE":
		o.dates = append(o.dates, *prop)
	}
}

// take keeps a property of an event. If it is a text that may go on in the next line, it
// returns where it is.
func (e *entry) take(prop *property) *string {
	switch prop.name {
	case "DTSTART":
		e.start = prop
	case "DTEND":
		e.end = prop
	case "DURATION":
		e.duration = prop
	case "RECURRENCE-ID":
		e.id = prop
	case "RRULE":
		if strings.TrimSpace(prop.value) != "" {
			e.rules = append(e.rules, *prop)
		}
	case "EXRULE":
		e.exrules = append(e.exrules, *prop)
	case "RDATE":
		e.dates = append(e.dates, *prop)
	case "EXDATE":
		e.exdates = append(e.exdates, *prop)
	case "UID":
		e.uid = prop.text()
	case "SEQUENCE":
		e.sequence, _ = strconv.Atoi(strings.TrimSpace(prop.value)) // 0 is the default
	case "STATUS":
		e.status = strings.ToUpper(strings.TrimSpace(prop.value))
	case "LAST-MODIFIED":
		e.modified = strings.TrimSpace(prop.value)
	case "DTSTAMP":
		e.stamped = strings.TrimSpace(prop.value)
	case "SUMMARY":
		e.title = prop.text()
		return &e.title
	case "LOCATION":
		e.location = prop.text()
		return &e.location
	case "DESCRIPTION":
		e.description = prop.text()
		return &e.description
	}
	return nil
}

// item names the event in notes.
func (e *entry) item() string {
	if e.title == "" && e.uid != "" {
		return strconv.Quote(reading.Cut(e.uid))
	}
	return "event " + strconv.Quote(reading.Cut(e.title))
}

func (e *entry) cancelled() bool { return e.status == "CANCELLED" || e.status == "CANCELED" }
