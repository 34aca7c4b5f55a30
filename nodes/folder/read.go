package folder

import (
	"context"
	"io"
	"os"

	"github.com/svcflow/svc/engine/node"
)

// Read returns the content of the regular file name, which must be clean, and reserves memory
// for it. A file over most bytes is an error with the code limit_exceeded.
func (d Disk) Read(ctx context.Context, name string, most int) ([]byte, error) {
	f, info, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	if info.Size() > int64(most) {
		return nil, node.Permanent(node.Errorf(node.CodeLimitExceeded, "the file has %d bytes; %d are the most", info.Size(), most))
	}
	if err := node.Hold(ctx, int(info.Size())); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, info.Size())) // what is appended meanwhile is left out
}
