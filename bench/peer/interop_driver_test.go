package peer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"testing"
)

// driver is a process of the original. Calls are sent without waiting for the
// answers, which a second goroutine reads.
type driver struct {
	in      *bufio.Writer
	replies chan []byte
	sent    int      // lines in all
	got     int      // of their answers, how many are in ready or were handed out
	ready   [][]byte // answers not handed out yet
	failed  error    // of the process
	stderr  *bytes.Buffer
	distort func(line []byte) []byte // plants differences; nil usually
}

// window is how many answers may be under way: both sides together hold them
// without anyone waiting.
const window = 1 << 12

func startDriver(t testing.TB, s Setup) *driver {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, s.Node, s.Dir+"/driver.mjs", "--mend")
	d := &driver{replies: make(chan []byte, window), stderr: new(bytes.Buffer)}
	cmd.Stderr = d.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.in = bufio.NewWriterSize(in, 1<<16)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(d.replies)
		lines := bufio.NewReaderSize(out, 1<<16)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				if !errors.Is(err, io.EOF) {
					d.failed = err
				}
				return
			}
			d.replies <- line
		}
	}()
	t.Cleanup(func() {
		cancel()
		in.Close()
		for range d.replies { // the reader may be waiting for room
		}
		<-read
		cmd.Wait() // it was ended: its status tells nothing
	})
	return d
}

// send sends a line.
func (d *driver) send(line []byte) error {
	if d.sent-d.got >= window/2 {
		if err := d.receive(); err != nil {
			return err
		}
	}
	d.sent++
	if _, err := d.in.Write(line); err != nil {
		return d.broken(err)
	}
	return d.in.WriteByte('\n')
}

// receive waits for one more answer.
func (d *driver) receive() error {
	if err := d.in.Flush(); err != nil {
		return d.broken(err)
	}
	line, ok := <-d.replies
	if !ok {
		return d.broken(d.failed)
	}
	if d.distort != nil {
		line = d.distort(line)
	}
	d.got++
	d.ready = append(d.ready, line)
	return nil
}

func (d *driver) broken(err error) error {
	return fmt.Errorf("the driver has ended: %v: %s", err, d.stderr)
}

// await returns the answer to the n-th line since the last take, counted from 0.
func (d *driver) await(n int) ([]byte, error) {
	for len(d.ready) <= n {
		if err := d.receive(); err != nil {
			return nil, err
		}
	}
	return d.ready[n], nil
}

// take returns the answers to all lines sent since the last take.
func (d *driver) take() ([][]byte, error) {
	for d.got < d.sent {
		if err := d.receive(); err != nil {
			return nil, err
		}
	}
	lines := d.ready
	d.ready = nil
	return lines, nil
}
