package sqlnode

import (
	"context"
	"fmt"
	"os"
)

// Bounded is an optional interface of [Files] with a quota. A database file grows without
// their knowledge, so the nodes ask how much it may grow, and report how much it grew.
type Bounded interface {
	// Room returns how many bytes may be added. It makes room if there is none.
	Room() int64
	// Grown counts bytes that were added, or removed if they are negative.
	Grown(bytes int64)
}

// bound keeps a SQLite file within the room that its folder has. The returned function counts
// how much the file grew; it is called after the connection closed.
func (s *session) bound(ctx context.Context, files Bounded) (count func(), err error) {
	var page, pages int64
	var file, name string
	var number int
	if err := s.QueryRowContext(ctx, "PRAGMA database_list").Scan(&number, &name, &file); err != nil {
		return nil, err
	}
	if err := s.QueryRowContext(ctx, "PRAGMA page_size").Scan(&page); err != nil {
		return nil, err
	}
	if err := s.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return nil, err
	}
	most := max(1, pages+files.Room()/page)
	if err := s.QueryRowContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", most)).Scan(&pages); err != nil {
		return nil, err
	}
	before := sizeOnDisk(file)
	return func() { files.Grown(sizeOnDisk(file) - before) }, nil
}

// sizeOnDisk returns the bytes of a SQLite database with its log and its journal.
func sizeOnDisk(file string) (bytes int64) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if info, err := os.Stat(file + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
