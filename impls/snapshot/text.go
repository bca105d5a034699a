package snapshot

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"

	fast "github.com/segmentio/asm/base64"
)

// bulk does the work where there is much of it: vectorized, about ten times as
// fast as encoding/base64. It skips line breaks and is not strict about the
// unused bits of a padded group. Both show in the length of what it decodes,
// and a text's last group is not its to decode.
var bulk = fast.StdEncoding

// AppendText appends the text form, base64 of the binary form, to dst.
func (s *State) AppendText(dst []byte) ([]byte, error) {
	dst = slices.Grow(dst, base64.StdEncoding.EncodedLen(s.Size()))
	err := s.write(dataChunk, func(data []byte) error {
		dst = AppendEncode(dst, data)
		return nil
	})
	return dst, err
}

// AppendEncode appends the text form of a binary form to dst.
func AppendEncode(dst, data []byte) []byte {
	n := base64.StdEncoding.EncodedLen(len(data))
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	bulk.Encode(dst[at:], data)
	return dst
}

// The streaming forms hold this much text at once, and the data of it.
const (
	textChunk = 32 << 10
	dataChunk = textChunk / 4 * 3
)

// WriteText writes the text form to w without ever holding it whole.
func (s *State) WriteText(w io.Writer) error {
	text := make([]byte, 0, textChunk)
	return s.write(dataChunk, func(data []byte) error {
		text = AppendEncode(text[:0], data)
		_, err := w.Write(text)
		return err
	})
}

// WriteBinary writes the binary form to w without ever holding it whole.
func (s *State) WriteBinary(w io.Writer) error {
	return s.write(dataChunk, func(data []byte) error {
		_, err := w.Write(data)
		return err
	})
}

// ParseText reads the text form: the standard alphabet, padding as it must be,
// and no line breaks but at the end.
func ParseText(text []byte) (*State, error) {
	data, err := DecodeText(text)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// DecodeText returns the binary form of a text form.
func DecodeText(text []byte) ([]byte, error) {
	d := decoder{lineBreak: -1}
	d.data = make([]byte, 0, base64.StdEncoding.DecodedLen(len(text)))
	if _, err := d.part(text, true); err != nil {
		return nil, err
	}
	return d.data, nil
}

// ReadText reads a text form from r to its end. Of the text it holds a part at
// a time; the binary form, which is three quarters of it, may not be longer
// than limit bytes. An error of r is returned as it is.
func ReadText(r io.Reader, limit int) (*State, error) {
	parts := bufio.NewReaderSize(r, textChunk)
	d := decoder{lineBreak: -1}
	for {
		text, err := parts.Peek(textChunk)
		end := err == io.EOF
		if err != nil && !end {
			return nil, err
		}
		n, err := d.part(text, end)
		if err != nil {
			return nil, err
		}
		if len(d.data) > limit {
			return nil, &Error{
				Field: "length", Offset: int64(limit), Value: strconv.Itoa(len(d.data)), Err: ErrCorrupt,
				Reason: fmt.Sprintf("more than the %d bytes that were allowed", limit),
			}
		}
		if end {
			return Parse(d.data)
		}
		if _, err := parts.Discard(n); err != nil {
			return nil, err
		}
	}
}

// decoder decodes a text part by part. Its answer does not depend on where the
// parts end: it judges the characters in their order.
type decoder struct {
	data      []byte
	offset    int64 // characters decoded or skipped
	lineBreak int64 // where the line breaks at the end begin, -1 before them
}

// part decodes what can be decoded of text, the part that begins at offset,
// and returns how many characters that was. All of it if end is set; if not, a
// group is left which may be the last one.
func (d *decoder) part(text []byte, end bool) (int, error) {
	start := d.offset
	if d.lineBreak < 0 {
		body := text
		if i := indexLineBreak(text); i >= 0 {
			d.lineBreak = d.offset + int64(i)
			body = text[:i]
		}
		whole := max(0, len(body)-1) &^ 3 // before the last group
		if err := d.groups(body[:whole]); err != nil {
			return 0, err
		}
		if end || d.lineBreak >= 0 {
			if err := d.last(body[whole:]); err != nil {
				return 0, err
			}
		}
		text = text[d.offset-start:]
	}
	if d.lineBreak >= 0 {
		if after := bytes.TrimLeft(text, "\r\n"); len(after) > 0 {
			return 0, textError(d.lineBreak, "", fmt.Sprintf("line break inside the text, %q follows", after[0]))
		}
		d.offset += int64(len(text))
	}
	return int(d.offset - start), nil
}

func indexLineBreak(text []byte) int {
	i := bytes.IndexByte(text, '\n')
	if i >= 0 {
		text = text[:i]
	}
	if j := bytes.IndexByte(text, '\r'); j >= 0 {
		return j
	}
	return i
}

// groups decodes whole groups, none of which is the last one.
func (d *decoder) groups(text []byte) error {
	at, n := len(d.data), len(text)/4*3
	if at+n > cap(d.data) {
		d.data = append(make([]byte, 0, max(at+n+3, 2*at)), d.data...) // append would copy more often
	}
	d.data = d.data[:at+n]
	if decoded, err := bulk.Decode(d.data[at:], text); err != nil || decoded != n {
		return d.explain(text, false)
	}
	d.offset += int64(len(text))
	return nil
}

// last decodes the last group; an empty text has none.
func (d *decoder) last(group []byte) error {
	if len(group) == 0 {
		return nil
	}
	var err error
	if d.data, err = base64.StdEncoding.Strict().AppendDecode(d.data, group); err != nil {
		return d.explain(group, true)
	}
	d.offset += int64(len(group))
	return nil
}

// explain says why text, which begins at offset, cannot be decoded. Only a last
// group may have padding.
func (d *decoder) explain(text []byte, last bool) error {
	bad := func(i int, reason string) error {
		return textError(d.offset+int64(i), fmt.Sprintf("%q", text[i]), reason)
	}
	for i, c := range text {
		switch {
		case c == '=' && last && len(text)-i <= 2:
			if len(text) < 4 {
				continue
			}
			if i == 2 && text[3] != '=' {
				return bad(3, "padding is followed by something else")
			}
			// The padding is right, so it is the bits before it.
			return bad(i-1, "has bits that the padding leaves unused, and they must be zero")
		case c == '=':
			return bad(i, "padding inside the text")
		case !isDigit(c):
			return bad(i, "not a character of the standard base64 alphabet")
		}
	}
	return textError(d.offset+int64(len(text)), "", "base64 text comes in groups of 4 characters, padded with =, and ends in one")
}

func isDigit(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}

func textError(at int64, value, reason string) error {
	return &Error{Field: fmt.Sprintf("text[%d]", at), Offset: -1, Value: value, Reason: reason, Err: ErrCorrupt}
}
