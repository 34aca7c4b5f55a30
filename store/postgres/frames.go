package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/postgres/pg"
)

// framesRead is the largest number of frames per query.
const framesRead = 500

// readFrames reads the frames after number $2 that fit, but at least one, and the number of frames
// of the run. It returns a row with null columns if there is no such frame. It reads each frame
// once and no earlier ones: upto is the total size up to the end of a frame, so upto minus the
// frame's own size is where the first one begins.
const readFrames = `with first as materialized (select seq, name, about, data, sum, upto - octet_length(name) - octet_length(data) as begins
		from svc_frames where run = $1 and seq = $2 + 1)
	select r.frames, f.* from svc_runs r left join (select seq, name, about, data, sum from first union all
		select n.seq, n.name, n.about, n.data, n.sum from first b join svc_frames n on n.run = $1 and n.seq > $2 + 1 and n.seq <= $2 + $4 and n.upto <= b.begins + $3) f on true
	where r.id = $1 order by f.seq`

// Frames implements [store.RunReader].
func (s *Runs) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	frames, err := s.frames(ctx, runID, max(after, 0), maxBytes)
	return frames, pg.Failed("read run "+runID, err)
}

func (s *Runs) frames(ctx context.Context, runID string, after, maxBytes int) (all []run.Frame, err error) {
	id, err := parseID(runID)
	if err != nil {
		return nil, err
	}
	for {
		rows, err := pg.Collect(ctx, s.db, readFrame, readFrames, id, after, maxBytes, min(framesRead, max(maxBytes, 1))) // each frame has at least one byte
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, store.ErrRunNotFound
		}
		part, err := whole(rows, runID, after)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
		for i := range part {
			maxBytes -= len(part[i].Name) + len(part[i].Data)
		}
		after += len(part)
		if len(part) < framesRead || maxBytes <= 0 || after >= rows[0].of {
			return all, nil
		}
		// A further call would return its first frame even if it does not fit.
		if next, err := s.nextFits(ctx, id, after, maxBytes); err != nil || !next {
			return all, err
		}
	}
}

// nextFits reports whether the frame after number after fits.
func (s *Runs) nextFits(ctx context.Context, id uuid.UUID, after, maxBytes int) (fits bool, err error) {
	err = s.db.One(ctx, `select n.upto - b.upto <= $3 from svc_frames n join svc_frames b on b.run = n.run and b.seq = $2
		where n.run = $1 and n.seq = $2 + 1`, id, after, maxBytes).Scan(&fits)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%w: frame %d is not there", store.ErrRunDamaged, after+1)
	}
	return fits, err
}

// frameRow is a row of readFrames.
type frameRow struct {
	of                int // number of frames of the run
	seq               *int
	name, about, data *string
	sum               *int64
}

func readFrame(row pgx.CollectableRow) (f frameRow, err error) {
	err = row.Scan(&f.of, &f.seq, &f.name, &f.about, &f.data, &f.sum)
	return f, err
}

// whole checks that rows are the frames after number after, without gaps, and returns them.
func whole(rows []frameRow, runID string, after int) (frames []run.Frame, err error) {
	damaged := func(n int, why string) error {
		return fmt.Errorf("%w %s: frame %d %s", store.ErrRunDamaged, runID, n, why)
	}
	if rows[0].seq == nil {
		if after < rows[0].of {
			return nil, damaged(after+1, "is not there")
		}
		return nil, nil
	}
	for i, r := range rows {
		n := after + i + 1
		data := []byte(*r.data)
		switch {
		case *r.seq != n:
			return nil, damaged(n, "is not there")
		case n > r.of || *r.sum != sumOf(n, *r.name, *r.about, data):
			return nil, damaged(n, "is not what was written")
		}
		f, err := runtext.FrameOf(n, *r.name, *r.about, data)
		if err != nil {
			return nil, damaged(n, err.Error())
		}
		frames = append(frames, f)
	}
	return frames, nil
}

// pieceBytes is the size of the pieces in which large values are stored.
const pieceBytes = 1 << 20

// eachPiece splits text into pieces, between characters.
func eachPiece(text []byte, put func(n int, piece string)) {
	for n := 0; n == 0 || len(text) > 0; n++ {
		size := min(len(text), pieceBytes)
		for size < len(text) && !utf8.RuneStart(text[size]) {
			size--
		}
		put(n, string(text[:size]))
		text = text[size:]
	}
}

// Value implements [store.RunReader].
func (s *Runs) Value(ctx context.Context, runID string, d run.Digest) ([]byte, error) {
	text, err := s.value(ctx, runID, d)
	return text, pg.Failed("read run "+runID, err)
}

func (s *Runs) value(ctx context.Context, runID string, d run.Digest) ([]byte, error) {
	id, err := parseID(runID)
	if err != nil {
		return nil, err
	}
	pieces, err := pg.Collect(ctx, s.db, pgx.RowTo[string], `select data from svc_values where run = $1 and digest = $2 order by piece`, id, d[:])
	if err != nil {
		return nil, err
	}
	text := []byte(strings.Join(pieces, ""))
	if run.Digest(sha256.Sum256(text)) == d {
		return text, nil
	}
	if _, err := s.record(ctx, runID); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%w %s: a value is not what was written", store.ErrRunDamaged, runID)
}

// has returns [store.ErrNoValue] if the run does not have a value.
func (s *Runs) has(ctx context.Context, id uuid.UUID, d run.Digest) error {
	var there bool
	err := s.db.One(ctx, `select exists (select from svc_values where run = $1 and digest = $2)`, id, d[:]).Scan(&there)
	if err == nil && !there {
		err = pg.Refused(store.ErrNoValue)
	}
	return err
}

// Put implements [store.SharedRuns].
func (s *Runs) Put(ctx context.Context, runID string, text []byte) (run.Digest, error) {
	d := run.Digest(sha256.Sum256(text))
	id, err := parseID(runID)
	if err == nil {
		err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error { return s.put(ctx, tx, id, d, text) })
	}
	return d, pg.Failed("keep a value of run "+runID, err)
}

func (s *Runs) put(ctx context.Context, tx pgx.Tx, id uuid.UUID, d run.Digest, text []byte) error {
	var bytes int64
	var finished, there bool
	err := tx.QueryRow(ctx, `select bytes, finished is not null, exists (select from svc_values where run = $1 and digest = $2)
		from svc_runs where id = $1 for update`, id, d[:]).Scan(&bytes, &finished, &there)
	switch most := s.options.RunBytes; {
	case err != nil:
		return notFound(err)
	case finished:
		return pg.Refused(store.ErrRunEnded)
	case there:
		return nil
	case most > 0 && bytes+int64(len(text)) > most:
		return pg.Refused(&store.RunBytesError{Most: most})
	}
	var b pgx.Batch
	b.Queue(`update svc_runs set bytes = bytes + $2 where id = $1`, id, len(text))
	eachPiece(text, func(n int, piece string) { b.Queue(insertPiece, id, d[:], n, piece) })
	_, err = pg.Sent(ctx, tx, &b)
	return err
}
