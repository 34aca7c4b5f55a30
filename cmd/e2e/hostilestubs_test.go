//go:build e2e && linux

package e2e_test

func fileAttacks() []attack { return nil }
