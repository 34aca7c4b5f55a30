// Package uitest has helpers for tests of views: the app and window to show a view in,
// searching for visible objects, golden pictures, and workflows to open. It is for tests
// only, and belongs to their goroutine.
package uitest
