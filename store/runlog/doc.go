// Package runlog stores runs in a directory, as one append-only log. It implements
// [store.RunStore]; open a directory with [Open].
//
// # Files
//
//	runs/
//	  .lock                 held by the process that has the directory open
//	  .ballast              1 MiB, given up in steps to end and delete runs when the disk is full
//	  log-00000001          a full segment
//	  log-00000001.index    its segment index, derived from it
//	  log-00000002          the segment that is written to, 16 MiB allocated in advance
//
// All runs share the log, so the frames of concurrent runs alternate:
//
//	log-00000002
//	+----------+---------+---------+---------+---------+---------+---------+-------+~~~~~~~+
//	| document | start A | frame 1 | start B | frame 1 | frame 2 | frame 2 | end A | zeros |
//	|          |         |   of A  |         |   of B  |   of A  |   of B  |       |       |
//	+----------+---------+---------+---------+---------+---------+---------+-------+~~~~~~~+
//	                                                                               ^ end of the log
//
// Each record is a line of text:
//
//	5d1c0a3e 0000004f 00000002 0197… event - {"nodeId":"a","output":{…}}⏎
//	|        |        |        |     |     | |
//	|        |        |        |     |     | data: JSON, without a line feed
//	|        |        |        |     |     about: where large values belong in data
//	|        |        |        |     name of the record or of the frame
//	|        |        |        run, or - for none
//	|        |        number of the frame
//	|        bytes from the run to the end of data
//	CRC-32C of everything behind it
//
// line.go lists the names. A large value (see limit.Apart) is stored once for each run, as a
// value line before the frame that refers to it. A workflow is stored once for all runs, as a
// document line. The end line of a run has a table of everything the run has written: the
// extents of the log that hold its frames, and the position of each value. Reading an ended run
// starts there. Until the run ends, the same table is in memory.
//
// grep finds a run in the log by its id, and [RawRun] prints its lines.
//
// # Writing
//
// [Store.Create], a journal's Append and [Store.Finish] compose their lines in memory and write
// them with one call to the end of the log (logWriter.write). Starts and last frames then wait
// until they are on the disk (logWriter.wait); other frames do not wait. Goroutines that wait at
// the same time share one sync: the first one becomes the leader of a syncRound, and the others
// wait for its result. This is group commit.
//
// The index in memory (runindex) learns of a line after it is written. In between, the line
// counts as pending, and its segment is neither indexed nor compacted.
//
// If a sync fails, the operating system may have dropped the pages and report success the next
// time. So everything since the last good sync is read back, checked, written through a new file
// descriptor and synced before the log accepts another line (logWriter.repair).
//
// # Recovery
//
// Open loads each segment index, and scans the segments that have none: the last one, and any
// whose index is missing or fails its checksum. After a scan, the index is written. An index is
// never needed for correctness; deleting all of them only makes the next start slower.
//
// A scan that finds a line with a bad checksum or length looks at the bytes after it:
//
//   - Zeros, or the end of the file, are what a power loss leaves, since lines contain no zeros.
//     The tail is cut off. Frames behind the gap whose predecessor or values are missing do not
//     count.
//   - Anything else is damage. It is logged with its offset, the runs it names are marked as
//     damaged ([store.ErrRunDamaged]), and the scan continues at the next line.
//
// A run whose end line is missing has not ended. [Store.Unfinished] lists it, and the
// application ends or resumes it.
//
// # Compaction
//
// Retention and [Store.Delete] remove runs from the index. A run that lies in a single segment
// disappears with it. For a run in several segments a delete line, its tombstone, is written, so
// that a later start does not take what is left of it for an unfinished run. A tombstone lives as
// long as the segment in which the run begins.
//
// One goroutine compacts full segments (compact.go): a segment without live bytes is removed; one
// that is less than half live is rewritten to the end of the log once the whole log is, unless a
// run in it is unfinished. A run is moved as a copy line and its frames, and counts only once its end line is
// there, so a crash in the middle leaves the original.
//
// # Promises
//
//   - A start or a last frame that was acknowledged survives a power loss. With
//     [Options.Relaxed] it survives a crash of the process; a power loss costs at most 20 ms.
//   - Every other acknowledged frame survives a crash of the process.
//   - Frames of a run are a prefix of what was appended: none is missing in between.
//   - A damaged byte never gives wrong data. It costs the runs whose lines it is in, and no
//     others; shared documents cost all runs that name them.
//   - A full disk does not prevent recording how runs end, nor deleting them, as long as the ballast lasts.
//   - One process writes. Others get [store.ErrRunsInUse]; RawRun reads beside it.
//
// Not promised: isolation from another program that writes to the directory, and quick starts
// with millions of runs, since the index in memory has an entry for each run.
package runlog
