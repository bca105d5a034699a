package live

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// Summary is the document as of a sequence number. Its form is "IDLS", a byte
// 1, the sequence number in 8 bytes, little-endian, and the document in the
// form of package compact, which has a checksum.
type Summary struct {
	Seq   uint64
	State *snapshot.State
}

// ErrDamagedSummary is the error of data that is no summary.
var ErrDamagedSummary = errors.New("the summary is damaged")

const (
	summaryMagic = "IDLS\x01"
	summaryHead  = len(summaryMagic) + 8
	// maxSummary bounds what is read of one, in bytes.
	maxSummary = 256 << 20
)

// Summary returns the summary of the document as the session has it now.
func (s *Session) Summary() ([]byte, error) {
	state, err := s.c.State(false)
	if err != nil {
		return nil, err
	}
	dst := binary.LittleEndian.AppendUint64([]byte(summaryMagic), s.applied)
	return compact.AppendCanonical(dst, state)
}

// ParseSummary reads a summary. Its errors are [ErrDamagedSummary].
func ParseSummary(data []byte) (*Summary, error) {
	if len(data) < summaryHead || string(data[:len(summaryMagic)]) != summaryMagic {
		return nil, fmt.Errorf("%w: it is none of version 1", ErrDamagedSummary)
	}
	if len(data) > maxSummary {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrDamagedSummary, len(data))
	}
	state, err := compact.Parse(data[summaryHead:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamagedSummary, err)
	}
	if state.Local != nil {
		return nil, fmt.Errorf("%w: it has the state of a session", ErrDamagedSummary)
	}
	return &Summary{Seq: binary.LittleEndian.Uint64(data[len(summaryMagic):]), State: state}, nil
}

func hashOf(state *snapshot.State) (string, error) {
	sum, err := compact.Hash(state)
	return hex.EncodeToString(sum[:]), err
}
