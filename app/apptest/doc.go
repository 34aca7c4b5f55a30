// Package apptest is for tests of what keeps and drives the asynchronous runs of an App:
// [Runs] is the suite that all of it passes, through [app.App] and in real time. One App may
// stand for many: where several share their runs, each step of the suite asks another one.
//
// It is not for programs.
package apptest
