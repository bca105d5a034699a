//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

// apart keeps a terminal's interrupt from a process: who started it ends it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
