package trace

import (
	"encoding/json"
	"fmt"
	"io"
)

// The formats of recorded calls.
const (
	FormatID  = "idtrace/1"
	FormatMap = "maptrace/1"
)

// Header is the first line of a trace that is written here. A reader needs
// only the format; the rest says how the trace was made, so that it can
// be made again.
type Header struct {
	Trace  string `json:"trace"` // the format
	Source string `json:"source"`
	Name   string `json:"name"`

	Seed         *uint64 `json:"seed,omitempty"`
	Lag          *int    `json:"lag,omitempty"`
	ClusterSize  int64   `json:"clusterSize,omitempty"`
	WriteVersion int     `json:"writeVersion,omitempty"`
}

func (h Header) write(w io.Writer) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// header reads the first line.
func (in *input) header(f *fields) (Header, error) {
	err := in.next(f)
	if err == io.EOF {
		return Header{}, in.failf("%w: there is no line", ErrFormat)
	}
	if err != nil {
		return Header{}, err
	}
	var h Header
	if h.Trace, err = get[string](f, "trace"); err != nil {
		return h, in.fail(fmt.Errorf("%w: the first line does not name it: %w", ErrFormat, err))
	}
	if h.Trace != FormatID && h.Trace != FormatMap {
		return h, in.failf("%w %s: there are %s and %s", ErrFormat, quote(h.Trace), FormatID, FormatMap)
	}
	h.Name, _ = get[string](f, "name") // only to be shown
	return h, nil
}
