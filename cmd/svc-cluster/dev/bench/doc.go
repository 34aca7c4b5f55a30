// Package bench measures a cluster, as users start it, against the least that its servers can
// do: Temporal with tasks of the same shape that do nothing, and svc serve on the same machine.
// Its servers wait for the disk, as those of production do.
package bench
