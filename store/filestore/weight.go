package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svcflow/svc/engine/value"
)

// weighedAtOnce is the size of the buffer that reads a file to weigh it.
const weighedAtOnce = 64 << 10

// Weight implements [store.Weighed]. If the workflow is not cached, it reads the file piece by
// piece.
func (s *Store) Weight(ctx context.Context, id string) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	name := fileName(id)
	info, err := os.Stat(s.path(name))
	if err != nil {
		return 0, fmt.Errorf("weigh workflow: %w", notFound(err))
	}
	if def, ok := s.defs.get(name, info); ok {
		return def.Weight(), nil
	}
	bytes, err := weighFile(ctx, s.path(name))
	if err != nil {
		return 0, fmt.Errorf("weigh workflow: %w", err)
	}
	return bytes, nil
}

// weighFile estimates the memory of a JSON file: its text and the decoded value.
func weighFile(ctx context.Context, path string) (bytes int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, notFound(err)
	}
	defer func() { _ = f.Close() }() // only read
	piece := make([]byte, weighedAtOnce)
	for {
		n, err := f.Read(piece)
		bytes += n + value.DecodedWeight(piece[:n])
		switch {
		case errors.Is(err, io.EOF):
			return bytes, nil
		case err == nil:
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
	}
}
