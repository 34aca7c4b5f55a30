// Package e2e kills the processes of a cluster and looks what becomes of its runs. The workers
// and Temporal are processes of their own, made of the test's own program.
package e2e
