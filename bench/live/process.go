package live

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// process is a process of this binary that another one runs: it gets JSON on
// its standard input and tells JSON on its standard output, a line each.
type process struct {
	cmd    *exec.Cmd
	in     *json.Encoder
	stdin  io.Closer
	stderr tail
	exited chan struct{} // closed when it has ended and all it told was read
	err    error         // valid then
}

// launch starts a subcommand of a binary with a configuration. What it tells is
// passed to each, in order, by a goroutine; a line at a time.
func launch(binary, subcommand string, env []string, config any, each func(json.RawMessage)) (*process, error) {
	p := &process{cmd: exec.Command(binary, subcommand), exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.stderr
	apart(p.cmd)
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin, p.in = stdin, json.NewEncoder(stdin)
	go func() {
		defer close(p.exited)
		lines := json.NewDecoder(stdout)
		for {
			var line json.RawMessage
			if lines.Decode(&line) != nil {
				break // it ended, or was killed within a line
			}
			each(line)
		}
		io.Copy(io.Discard, stdout)
		if p.err = p.cmd.Wait(); p.err != nil {
			p.err = fmt.Errorf("%s: %w%s", subcommand, p.err, p.stderr.String())
		}
	}()
	if err := p.in.Encode(config); err != nil {
		p.kill()
		return nil, fmt.Errorf("%s: %w%s", subcommand, err, p.stderr.String())
	}
	return p, nil
}

// kill is SIGKILL. It returns when the process is gone.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.exited
}

// stop ends its input, which ends it, and kills it if that takes too long.
func (p *process) stop() {
	p.stdin.Close()
	select {
	case <-p.exited:
	case <-time.After(10 * time.Second):
		p.kill()
	}
}

// cpu returns the processor time that it took. It must have ended.
func (p *process) cpu() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return ""
	}
	return ": " + string(t.text)
}
