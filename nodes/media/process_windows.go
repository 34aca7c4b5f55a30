package media

import "os/exec"

const hasDescriptors = false

func own(*exec.Cmd) {}

func bound(int, limits) {}
