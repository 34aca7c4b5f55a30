package runtext

import (
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// StartRow is a [run.Start] for stores with rows instead of a log.
type StartRow struct {
	Summary  []byte          // JSON on one line
	Inputs   []byte          // JSON with references to large values
	About    string          // positions of the references
	Holes    []run.Reference // with their texts when written; nil when read
	Document *run.Document   // the workflow, shared by all runs of it
	Record   run.Record      // of the run before its first frame
}

// NewStartRow checks start and returns its row.
func NewStartRow(start *run.Start) (*StartRow, error) {
	text, err := EncodeStart(start)
	if err != nil {
		return nil, err
	}
	return &StartRow{
		Summary: text.Summary.Append(nil), Inputs: text.Inputs.Data, About: About(&text.Inputs),
		Holes: text.Inputs.Holes, Document: text.Document, Record: text.Summary.record(),
	}, nil
}

// record returns the record of the run before its first frame.
func (s *Summary) record() run.Record {
	return run.Record{
		RunID: s.RunID, WorkflowID: s.WorkflowID, Status: (&run.Start{ResumedFrom: s.ResumedFrom, StartedBy: s.StartedBy}).First(),
		StartedAt: s.StartedAt, ResumedFrom: s.ResumedFrom, StartedBy: s.StartedBy,
	}
}

// Start decodes the row; from provides large inputs. If that fails, the error is
// [store.ErrRunDamaged].
func (r *StartRow) Start(runID string, from run.Source) (run.Start, error) {
	about, err := readAbout(r.Inputs, r.About)
	if err != nil {
		return run.Start{}, fmt.Errorf("%w %s: %w", store.ErrRunDamaged, runID, err)
	}
	summary, err := ReadSummary(r.Summary)
	if err == nil && (summary.RunID != runID || summary.Document != FormatDigest(r.Document.Digest)) {
		err = errors.New("it is that of another run")
	}
	if err != nil {
		return run.Start{}, fmt.Errorf("%w %s: %w", store.ErrRunDamaged, runID, err)
	}
	text := &StartText{Summary: summary, Document: r.Document, Inputs: about}
	start, err := text.Decode(from)
	if err != nil && !errors.Is(err, store.ErrUnavailable) {
		err = fmt.Errorf("%w %s: %w", store.ErrRunDamaged, runID, err)
	}
	return start, err
}

// FrameOf returns the frame with the given data and about field.
func FrameOf(seq int, name, about string, data []byte) (run.Frame, error) {
	f := run.ReadFrame(seq, engine.EventName(name), data)
	err := ParseAbout(&f, about, len(data))
	for i := range f.Holes {
		if f.Holes[i].Frame >= seq && seq > 0 {
			err = ErrLine
		}
	}
	return f, err
}

func readAbout(data []byte, about string) (run.Frame, error) {
	f := run.Frame{Data: data}
	err := ParseAbout(&f, about, len(data))
	return f, err
}

// CheckFrames checks that frames of a shared run can follow frame number last, whose time is at. It
// returns the time of the last frame.
func CheckFrames(frames []run.Frame, last int, at time.Time) (time.Time, error) {
	for i := range frames {
		f := &frames[i]
		if _, err := CheckAppend(f, last+i); err != nil {
			return at, err
		}
		switch {
		case f.Name.Terminal() && i < len(frames)-1:
			return at, fmt.Errorf("frame %d is the last one, and others follow", f.Seq)
		case f.Time.IsZero():
		case f.Time.Before(at):
			return at, store.ErrFrameEarlier
		default:
			at = f.Time
		}
	}
	return at, nil
}
