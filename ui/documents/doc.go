// Package documents keeps what the editor has open outside of the places where
// workflows are saved: files that are read and written safely, drafts of unsaved work
// that survive a crash, and the list of what was opened recently. It knows no window
// and starts no goroutines.
package documents
