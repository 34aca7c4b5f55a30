package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/postgres/pg"
)

// journal is a [store.SharedJournal] for a run in one epoch.
type journal struct {
	runs  *Runs
	id    uuid.UUID
	epoch int

	frames int       // frames known to be stored
	upto   int64     // total size of their names and data
	last   time.Time // time of the last one
	unsure bool      // the outcome of the last write is unknown
	closed bool
	known  map[run.Digest]bool // values of the run; nil until they are first needed
}

// Append implements [store.SharedJournal].
func (j *journal) Append(ctx context.Context, frames ...run.Frame) error {
	if err := j.append(ctx, frames); err != nil {
		return pg.Failed("append to run "+j.id.String(), err)
	}
	return nil
}

func (j *journal) append(ctx context.Context, frames []run.Frame) error {
	doubted := j.unsure
	for {
		if j.unsure {
			there, err := j.settle(ctx)
			if err != nil {
				return err
			}
			for len(frames) > 0 && frames[0].Seq <= there {
				frames = frames[1:]
			}
		}
		if len(frames) == 0 {
			return nil
		}
		wrote, err := j.write(ctx, frames)
		if wrote || err != nil {
			return err
		}
		// An earlier write with unknown outcome may have been committed meanwhile.
		if err := j.refused(ctx, frames, doubted); err != nil {
			return err
		}
		j.unsure = true
	}
}

// write writes frames. It returns false if the run does not have the number of frames that the
// journal expects.
func (j *journal) write(ctx context.Context, frames []run.Frame) (wrote bool, err error) {
	if j.closed {
		return false, fs.ErrClosed
	}
	last, err := runtext.CheckFrames(frames, j.frames, j.last)
	if err != nil {
		return false, pg.Refused(err)
	}
	w := &writing{journal: j, frames: frames, last: last, final: &frames[len(frames)-1], upto: j.upto, wrote: map[run.Digest]bool{}}
	if err := w.values(ctx); err != nil {
		return false, err
	}
	rows, err := j.runs.db.Together(ctx, w.batch())
	if err != nil {
		j.unsure = ctx.Err() != nil || errors.Is(pg.Failed("", err), store.ErrUnavailable)
		return false, err
	}
	if rows[0] == 0 {
		return false, nil
	}
	w.done()
	return true, nil
}

// uptoLast is the total size of the names and data of the frames of a run.
const uptoLast = `coalesce((select upto from svc_frames f where f.run = r.id and f.seq = r.frames), 0)`

// settle reads the state of the run after a write with unknown outcome, and returns the number of
// stored frames.
func (j *journal) settle(ctx context.Context) (int, error) {
	var epoch, frames int
	var last *time.Time
	var finished bool
	row := j.runs.db.One(ctx, `select epoch, frames, last_frame, finished is not null, `+uptoLast+` from svc_runs r where id = $1`, j.id)
	err := row.Scan(&epoch, &frames, &last, &finished, &j.upto)
	switch {
	case err != nil:
		return 0, notFound(err)
	case epoch != j.epoch:
		return 0, pg.Refused(store.ErrRunTaken)
	}
	j.unsure, j.frames, j.closed, j.known = false, frames, finished, nil
	if last != nil {
		j.last = last.UTC()
	}
	return frames, nil
}

// refused returns the reason why nothing was written; nil if the frames are already stored.
func (j *journal) refused(ctx context.Context, frames []run.Frame, doubted bool) error {
	there, err := j.settle(ctx)
	switch {
	case err != nil:
		return err
	case doubted && there >= frames[0].Seq:
		return nil
	case j.closed:
		return fs.ErrClosed
	case there != frames[0].Seq-1:
		return pg.Refused(fmt.Errorf("frame %d cannot follow frame %d", frames[0].Seq, there))
	}
	return pg.Refused(&store.RunBytesError{Most: j.runs.options.RunBytes})
}

// Leave implements [store.SharedJournal].
func (j *journal) Leave(ctx context.Context, until time.Time) error {
	var parked *time.Time
	if !until.IsZero() {
		parked = &until
	}
	tag, err := j.runs.db.Exec(ctx, leftRun+`, parked = $3 where id = $1 and epoch = $2`, j.id, j.epoch, parked)
	if err == nil && tag.RowsAffected() == 0 {
		err = pg.Refused(store.ErrRunTaken)
	}
	return pg.Failed("leave run "+j.id.String(), err)
}

// writing is the data of one Append.
type writing struct {
	journal *journal
	frames  []run.Frame
	last    time.Time // time of the last frame
	final   *run.Frame
	bytes   int64               // of the names and data of frames
	upto    int64               // total size, including earlier frames
	pieces  []run.Reference     // values to be written
	extra   int64               // size of pieces
	bounded int64               // bytes that count against the limit of the run; the terminal frame does not
	wrote   map[run.Digest]bool // the digests of pieces
}

// values collects the values that must be written, and refuses frames that refer to missing ones.
func (w *writing) values(ctx context.Context) error {
	for i := range w.frames {
		w.bounded = w.bytes + w.extra
		w.bytes += int64(len(w.frames[i].Name) + len(w.frames[i].Data))
		for _, h := range w.frames[i].Holes {
			if h.Frame > 0 || w.wrote[h.Digest] {
				continue
			}
			if err := w.journal.look(ctx); err != nil {
				return err
			}
			if w.journal.known[h.Digest] {
				continue
			}
			if h.Text == nil {
				if err := w.journal.runs.has(ctx, w.journal.id, h.Digest); err != nil { // another process may have put it
					return err
				}
				continue
			}
			w.wrote[h.Digest] = true
			w.pieces, w.extra = append(w.pieces, h), w.extra+int64(len(h.Text))
		}
	}
	if !w.final.Name.Terminal() {
		w.bounded = w.bytes + w.extra
	}
	return nil
}

// look reads the digests of the values of the run.
func (j *journal) look(ctx context.Context) error {
	if j.known != nil {
		return nil
	}
	digests, err := pg.Collect(ctx, j.runs.db, pgx.RowTo[[]byte], `select digest from svc_values where run = $1 and piece = 0`, j.id)
	if err != nil {
		return err
	}
	j.known = map[run.Digest]bool{}
	for _, d := range digests {
		if len(d) == len(run.Digest{}) {
			j.known[run.Digest(d)] = true
		}
	}
	return nil
}

// Statements of Append. The first one changes no row if the epoch or the number of frames has
// changed; the others then do nothing, either.
const (
	growRun = `update svc_runs set frames = $4, bytes = bytes + $5, takes = case when $11 then 1 else takes end, status = $6, last_frame = coalesce($7, last_frame), finished = $8,
		recorded = case when $8::timestamptz is not null then clock_timestamp() end, driver = case when $8::timestamptz is null then driver end
		where id = $1 and epoch = $2 and frames = $3 and finished is null and ($9 <= 0 or $9 + bytes <= $10)`
	insertPiece  = `insert into svc_values (run, digest, piece, data) values ($1, $2, $3, $4) on conflict do nothing`
	piecesIf     = `insert into svc_values (run, digest, piece, data) select $1, $2, $3, $4 from svc_runs where id = $1 and epoch = $5 and frames = $6 on conflict do nothing`
	framesIf     = `insert into svc_frames (run, seq, name, about, data, upto, sum) select $1, v.* from svc_runs r, (values `
	framesBehind = `) v where r.id = $1 and r.epoch = $2 and r.frames = $3 on conflict do nothing`
	freePlace    = `update svc_places set run = null where run = $1 and exists (select from svc_runs where id = $1 and finished is not null)`
	freeResumed  = `delete from svc_resumed where by = $1 and exists (select from svc_runs where id = $1 and finished is not null)`
)

// framesAtOnce is the number of frames per statement.
const framesAtOnce = 100

// batch returns the statements that write everything, in one transaction.
func (w *writing) batch() *pgx.Batch {
	j, b := w.journal, &pgx.Batch{}
	most, bounded := j.runs.options.RunBytes, w.bounded
	if most <= 0 {
		bounded = 0
	}
	status, finished := engine.StatusRunning, (*time.Time)(nil)
	if w.final.Name.Terminal() {
		status, finished = w.final.Status, &w.final.Time
	}
	var last *time.Time
	if !w.last.IsZero() {
		last = &w.last
	}
	b.Queue(growRun, j.id, j.epoch, j.frames, w.final.Seq, w.bytes+w.extra, status.String(), last, finished, bounded, most, store.GotOn(w.frames))
	for i := range w.pieces {
		h := &w.pieces[i]
		eachPiece(h.Text, func(n int, piece string) { b.Queue(piecesIf, j.id, h.Digest[:], n, piece, j.epoch, w.final.Seq) })
	}
	for rest := w.frames; len(rest) > 0; {
		n := min(len(rest), framesAtOnce)
		w.queueFrames(b, rest[:n])
		rest = rest[n:]
	}
	if finished != nil {
		b.Queue(freePlace, j.id)
		b.Queue(freeResumed, j.id)
	}
	return b
}

func (w *writing) queueFrames(b *pgx.Batch, frames []run.Frame) {
	j := w.journal
	args := []any{j.id, j.epoch, w.final.Seq}
	var query strings.Builder
	query.WriteString(framesIf)
	for i := range frames {
		f := &frames[i]
		about := runtext.About(f)
		if i > 0 {
			query.WriteByte(',')
		}
		n := len(args)
		for column, kind := range []string{"int", "text", "text", "text", "bigint", "bigint"} {
			query.WriteString(map[bool]string{true: "($", false: ",$"}[column == 0] + strconv.Itoa(n+column+1) + "::" + kind)
		}
		query.WriteByte(')')
		w.upto += int64(len(f.Name) + len(f.Data))
		args = append(args, f.Seq, string(f.Name), about, string(f.Data), w.upto, sumOf(f.Seq, string(f.Name), about, f.Data))
	}
	query.WriteString(framesBehind)
	b.Queue(query.String(), args...)
}

// done updates the journal after a write.
func (w *writing) done() {
	j := w.journal
	j.frames, j.last, j.upto = w.final.Seq, w.last, w.upto
	j.closed = w.final.Name.Terminal()
	for d := range w.wrote {
		j.known[d] = true
	}
}

// sumOf returns the checksum by which frames that were edited by hand are detected.
func sumOf(seq int, name, about string, data []byte) int64 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, []byte(strconv.Itoa(seq)+" "+name+" "+about+" "))
	return int64(crc32.Update(sum, table, data))
}
