package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Store is where a session's checkpoint and log are on disk. In a directory,
// state-N is the N-th checkpoint and log-N the log since then. The greatest N is
// the one that counts; files of smaller ones are on their way out, and
// state.tmp is a checkpoint that was not completed.
//
// A checkpoint is written beside, synced and renamed; a record of the log is
// appended and synced. So a kill at any moment leaves the checkpoint and the
// records of before, and at most a record that is cut off, which counts as not
// written.
type Store struct {
	dir    string
	n      int // of the checkpoint
	log    *os.File
	logged int // records since the checkpoint
	sync   bool
	broken error // what made the log's end uncertain

	step func(at string) // for tests: called before each step
}

// ErrDamagedStore is the error of a store that holds what no session wrote.
var ErrDamagedStore = errors.New("the session's stored state is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenStore opens the store in a directory, which is made if it is not there.
// It returns what is saved, nil if nothing is. If sync is false nothing is
// synced: the store then outlives its process, but not its machine.
func OpenStore(dir string, sync bool) (*Store, *Saved, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	s := &Store{dir: dir, sync: sync, step: func(string) {}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if n, ok := numbered(e.Name(), "state-"); ok {
			s.n = max(s.n, n)
		}
	}
	if s.n == 0 {
		return s, nil, nil
	}
	saved, err := s.load()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, saved, nil
}

// numbered returns the number in the name of a file.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

func (s *Store) path(prefix string, n int) string {
	return filepath.Join(s.dir, prefix+strconv.Itoa(n))
}

func (s *Store) load() (*Saved, error) {
	data, err := os.ReadFile(s.path("state-", s.n))
	if err != nil {
		return nil, err
	}
	saved, err := parseCheckpoint(data)
	if err != nil {
		return nil, fmt.Errorf("state-%d: %w: %w", s.n, ErrDamagedStore, err)
	}
	log, err := os.ReadFile(s.path("log-", s.n))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	records, whole, err := parseLog(log)
	if err != nil {
		return nil, fmt.Errorf("log-%d: %w: %w", s.n, ErrDamagedStore, err)
	}
	saved.records = records
	s.logged = len(records)
	if err := s.openLog(s.n, 0); err != nil {
		return nil, err
	}
	if whole < len(log) { // a record that was cut off
		if err := s.log.Truncate(int64(whole)); err != nil {
			return nil, err
		}
	}
	return saved, nil
}

func (s *Store) openLog(n, flag int) error {
	f, err := os.OpenFile(s.path("log-", n), os.O_WRONLY|os.O_CREATE|os.O_APPEND|flag, 0o666)
	if err != nil {
		return err
	}
	if s.log != nil {
		s.log.Close()
	}
	s.log = f
	return nil
}

// Commit appends a record to the log. When it returns, the record is on disk.
func (s *Store) Commit(r record) error {
	if s.broken != nil {
		return s.broken
	}
	s.step("append")
	if _, err := s.log.Write(appendRecord(nil, r)); err != nil {
		s.broken = fmt.Errorf("%s: the log's end is uncertain: %w", s.dir, err)
		return s.broken
	}
	s.step("sync log")
	if err := s.flush(s.log); err != nil {
		s.broken = fmt.Errorf("%s: the log's end is uncertain: %w", s.dir, err)
		return s.broken
	}
	s.step("committed")
	s.logged++
	return nil
}

// Logged returns how many records the log has since the checkpoint.
func (s *Store) Logged() int { return s.logged }

// Checkpoint replaces the checkpoint and empties the log.
func (s *Store) Checkpoint(c *Saved) error {
	temp := filepath.Join(s.dir, "state.tmp")
	s.step("write checkpoint")
	if err := s.write(temp, c.append(nil)); err != nil {
		return err
	}
	s.step("open log")
	s.broken = fmt.Errorf("%s: checkpoint %d was not completed", s.dir, s.n+1)
	if err := s.openLog(s.n+1, os.O_TRUNC); err != nil {
		return err
	}
	s.step("rename checkpoint")
	if err := os.Rename(temp, s.path("state-", s.n+1)); err != nil {
		return err
	}
	s.n++
	s.logged, s.broken = 0, nil
	s.step("sync directory")
	if err := s.syncDir(); err != nil {
		return err
	}
	s.step("remove old files")
	return s.removeOld()
}

func (s *Store) write(name string, data []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = s.flush(f)
	}
	return errors.Join(err, f.Close())
}

func (s *Store) flush(f *os.File) error {
	if !s.sync {
		return nil
	}
	return f.Sync()
}

func (s *Store) syncDir() error {
	if !s.sync {
		return nil
	}
	d, err := os.Open(s.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *Store) removeOld() error {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		for _, prefix := range []string{"state-", "log-"} {
			if n, ok := numbered(e.Name(), prefix); ok && n < s.n {
				err = errors.Join(err, os.Remove(filepath.Join(s.dir, e.Name())))
				s.step("removed " + prefix)
			}
		}
	}
	return err
}

// Close closes the log.
func (s *Store) Close() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// parseLog reads the records of a log and returns how many bytes of it are
// whole records. One that is cut off at the end is left out: it never was
// committed. What is damaged before the end is an error.
func parseLog(data []byte) (records []record, whole int, err error) {
	for whole < len(data) {
		rest := data[whole:]
		if len(rest) < logHead {
			break
		}
		size := binary.LittleEndian.Uint32(rest)
		if uint64(size) > uint64(len(rest)-logHead) {
			break
		}
		body := rest[logHead : logHead+int(size)]
		if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(rest[4:]) {
			if len(rest) == logHead+int(size) {
				break
			}
			return nil, 0, fmt.Errorf("record %d at byte %d has another checksum", len(records)+1, whole)
		}
		r, err := parseRecord(body)
		if err != nil {
			return nil, 0, fmt.Errorf("record %d at byte %d: %w", len(records)+1, whole, err)
		}
		records = append(records, r)
		whole += logHead + int(size)
	}
	return slices.Clip(records), whole, nil
}
