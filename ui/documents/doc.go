// Package documents stores what the editor needs apart from the hosts that store workflows:
// files that are read and written safely, drafts of unsaved work that survive a crash, and
// the list of recent workflows. It knows no window and starts no goroutines.
package documents
