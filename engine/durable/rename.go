package durable

import "time"

// patience is how long a rename waits for other programs to close a file. Virus scanners
// and indexers close files within that time.
const patience = 500 * time.Millisecond

// rename renames a file and replaces the target.
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
