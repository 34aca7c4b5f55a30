package durable

import "time"

// patience is how long a rename waits for those who have a file open, where that is in
// the way; scanners and indexers let go of it within that time.
const patience = 500 * time.Millisecond

// rename renames a file, replacing what is there.
func rename(in FS, from, to string) error {
	waited := time.Duration(0)
	for wait := time.Millisecond; ; wait *= 2 {
		err := in.Rename(from, to)
		if err == nil || waited >= patience || !inTheWay(err) {
			return err
		}
		<-time.After(wait)
		waited += wait
	}
}
