package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"
)

// ledger is what the application on a node was given, a line an operation: it
// is the application's memory, not the session's, and what the session did is
// held against it at the end.
type ledger struct {
	f      *os.File
	issued int64               // IDs
	eager  int64               // those among them that were final at once
	told   map[uuid.UUID]int64 // the last generation count, by session
}

func openLedger(name string) (*ledger, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	l := &ledger{f: f, told: map[uuid.UUID]int64{}}
	entries, whole, err := readLedger(f)
	for _, i := range entries {
		l.count(i)
	}
	if err = errors.Join(err, f.Truncate(whole)); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func (l *ledger) count(i Issued) {
	l.issued += i.Count
	l.eager += i.Eager
	l.told[i.Session] = i.First + i.Count - 1
}

// tell gives the IDs of an operation to the application, if it does not have
// them.
func (l *ledger) tell(i Issued) error {
	if i.Count == 0 || l.told[i.Session] >= i.First {
		return nil
	}
	l.count(i)
	_, err := fmt.Fprintf(l.f, "%s %d %d %d %s\n", i.Session, i.First, i.Count, i.Eager, i.UUID)
	return err
}

// readLedger returns the entries of a ledger and how many bytes they are: a
// line that was cut off is left out.
func readLedger(r io.Reader) (entries []Issued, whole int64, err error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return entries, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var i Issued
		var session, first string
		if _, err := fmt.Fscan(bytes.NewReader(line), &session, &i.First, &i.Count, &i.Eager, &first); err != nil {
			return nil, 0, fmt.Errorf("ledger: byte %d: %w", whole, err)
		}
		if i.Session, err = uuid.Parse(session); err == nil {
			i.UUID, err = uuid.Parse(first)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("ledger: byte %d: %w", whole, err)
		}
		entries = append(entries, i)
		whole += int64(len(line))
	}
}
