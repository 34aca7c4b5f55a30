package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// StartRow is a [run.Start] as stores keep it that have rows instead of a log.
type StartRow struct {
	Summary  []byte        // JSON on one line
	Inputs   []byte        // JSON, but for what stands in the holes
	About    string        // says where these are
	Holes    []run.Hole    // with their texts; none in what was read
	Document *run.Document // the workflow, for all runs that were started with it
	Record   run.Record    // of the run before its first frame
}

// NewStartRow returns what is to be kept of start, which it checks.
func NewStartRow(start *run.Start) (*StartRow, error) {
	text, err := encodeStart(start)
	if err != nil {
		return nil, err
	}
	begun := text.summary.brief()
	return &StartRow{
		Summary: text.summary.append(nil), Inputs: text.inputs.Data, About: aboutFrame(&text.inputs),
		Holes: text.inputs.Holes, Document: text.document, Record: begun.record(),
	}, nil
}

// Start returns the start that r holds, whose large inputs come from there. What cannot be read
// is [ErrRunDamaged].
func (r *StartRow) Start(runID string, from run.Source) (run.Start, error) {
	about, err := readAbout(r.Inputs, r.About)
	if err != nil {
		return run.Start{}, fmt.Errorf("%w %s: %w", ErrRunDamaged, runID, err)
	}
	summary, err := readSummary(r.Summary)
	if err == nil && (summary.RunID != runID || summary.Document != formatDigest(r.Document.Digest)) {
		err = errors.New("it is that of another run")
	}
	if err != nil {
		return run.Start{}, fmt.Errorf("%w %s: %w", ErrRunDamaged, runID, err)
	}
	text := &startText{summary: summary, document: r.Document, inputs: about}
	start, err := text.decode(from)
	if err != nil && !errors.Is(err, ErrUnavailable) {
		err = fmt.Errorf("%w %s: %w", ErrRunDamaged, runID, err)
	}
	return start, err
}

// AboutFrame words where the holes and the outputs of a frame are.
func AboutFrame(f *run.Frame) string { return aboutFrame(f) }

// FrameOf returns the frame that has such data, and such words about it.
func FrameOf(seq int, name, about string, data []byte) (run.Frame, error) {
	return (&line{seq: seq, name: name, about: about, data: data}).frame()
}

func readAbout(data []byte, about string) (run.Frame, error) {
	f := run.Frame{Data: data}
	err := parseAbout(&f, about, len(data))
	return f, err
}

// CheckFrames refuses frames of a shared run that cannot follow frame number last, of that time,
// and returns the time of the last of them.
func CheckFrames(frames []run.Frame, last int, at time.Time) (time.Time, error) {
	for i := range frames {
		f := &frames[i]
		if _, err := checkAppend(f, last+i); err != nil {
			return at, err
		}
		switch {
		case f.Name.Terminal() && i < len(frames)-1:
			return at, fmt.Errorf("frame %d is the last one, and others follow", f.Seq)
		case f.Time.IsZero():
		case f.Time.Before(at):
			return at, ErrFrameEarlier
		default:
			at = f.Time
		}
	}
	return at, nil
}

// GotOn reports whether a run has got on by frames: progress alone brings it no nearer to its end,
// so that what reports and then takes its driver down would do so for ever.
func GotOn(frames []run.Frame) bool {
	return slices.ContainsFunc(frames, func(f run.Frame) bool { return f.Name != engine.EventProgress })
}

// CursorAt returns the cursor of a list of runs behind r, and [ReadCursor] the time of the start
// and the id of a run from one.
func CursorAt(r run.Record) string { return cursorOf(r) }

// ReadCursor is the reverse of [CursorAt]; see there.
func ReadCursor(cursor string) (started time.Time, runID string, err error) {
	r, err := parseCursor(cursor)
	return r.StartedAt.time(), r.RunID, err
}

// ErrNoValue says that a frame has a hole for which there is nothing.
var ErrNoValue = errors.New("the frame names a value that the run does not have")

// ErrFrameEarlier says that a frame of shared runs is earlier than one before it.
var ErrFrameEarlier = errors.New("the frame is earlier than one before it")

// SharedID returns the id of a run that processes share: a UUID of version 7, which has the time
// of the start, as it is always written.
func SharedID(runID string) (uuid.UUID, error) {
	id, err := uuid.Parse(runID)
	if err != nil || id.Version() != 7 || id.String() != runID {
		return uuid.UUID{}, fmt.Errorf("%.80q is no id of a run: those are UUIDs of version 7", runID)
	}
	return id, nil
}
