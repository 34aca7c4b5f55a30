// Package bench measures a cluster, as users start it. It compares it with empty tasks of the same
// shape at Temporal, and with svc serve on the same machine. Its servers sync to disk, as in
// production.
package bench
