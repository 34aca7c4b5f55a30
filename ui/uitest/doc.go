// Package uitest is what the tests of the views have in common: the app and window
// they show a view in, ways to find what a view shows, pictures to compare it with, and
// the workflows they open. It is for tests only, and belongs to their goroutine.
package uitest
