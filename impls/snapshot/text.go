package snapshot

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"

	fast "github.com/segmentio/asm/base64"
)

// strict is the judge. It skips line breaks anywhere, which Fluid's form never
// has: see decodeBody.
var strict = base64.StdEncoding.Strict()

// bulk does the work where there is much of it: vectorized, about ten times as
// fast as encoding/base64. It is not strict about padding in the middle and
// unused bits at the end, so it is never given either.
var bulk = fast.StdEncoding

// AppendText appends the text form, base64 of the binary form, to dst.
func (s *State) AppendText(dst []byte) ([]byte, error) {
	data, err := s.AppendBinary(nil)
	if err != nil {
		return dst, err
	}
	return AppendEncode(dst, data), nil
}

// AppendEncode appends the text form of a binary form to dst.
func AppendEncode(dst, data []byte) []byte {
	n := base64.StdEncoding.EncodedLen(len(data))
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	bulk.Encode(dst[at:], data)
	return dst
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
	text = bytes.TrimRight(text, "\r\n")
	if len(text)%4 != 0 {
		return nil, textError(text, len(text), 0, "base64 text comes in groups of 4 characters, padded with =")
	}
	return decodeBody(make([]byte, 0, len(text)/4*3), text, 0, true)
}

// decodeBody appends what whole groups of 4 characters stand for; offset is
// where in the text they are. Only a last group may have padding.
func decodeBody(dst, text []byte, offset int64, last bool) ([]byte, error) {
	for _, c := range []byte("\r\n") {
		if i := bytes.IndexByte(text, c); i >= 0 {
			return nil, textError(text, i, offset, "line break inside the text")
		}
	}
	head := text
	if last && len(text) > 0 {
		head = text[:len(text)-4]
	}
	if i := bytes.IndexByte(head, '='); i >= 0 {
		return nil, textError(text, i, offset, "padding inside the text")
	}
	at := len(dst)
	dst = slices.Grow(dst, len(text)/4*3)[:at+len(head)/4*3]
	if _, err := bulk.Decode(dst[at:], head); err != nil {
		return nil, notBase64(text, head, offset)
	}
	dst, err := strict.AppendDecode(dst, text[len(head):])
	if err != nil {
		return nil, notBase64(text, text, offset)
	}
	return dst, nil
}

// notBase64 finds the character that part, the beginning of text, fails at.
func notBase64(text, part []byte, offset int64) error {
	_, err := strict.AppendDecode(nil, part)
	at := len(part)
	var bad base64.CorruptInputError
	if errors.As(err, &bad) {
		at = int(bad)
	}
	return textError(text, at, offset, "the standard base64 alphabet, padded with =, is expected")
}

func textError(text []byte, at int, offset int64, reason string) error {
	var value string
	if at < len(text) {
		value = fmt.Sprintf("%q", text[at])
	}
	return &Error{Field: fmt.Sprintf("text[%d]", offset+int64(at)), Offset: -1, Value: value, Reason: reason, Err: ErrCorrupt}
}

// The streaming forms hold this much text at once. Both are whole groups.
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

// ReadText reads a text form from r to its end. Of the text it holds a part at
// a time; the binary form, which is three quarters of it, may not be longer
// than limit bytes. An error of r is returned as it is.
func ReadText(r io.Reader, limit int) (*State, error) {
	var data []byte
	chunk := make([]byte, 0, textChunk)
	var offset int64
	for {
		n, err := io.ReadFull(r, chunk[len(chunk):cap(chunk)])
		chunk = chunk[:len(chunk)+n]
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			return nil, err
		}
		// The last group may have padding, and line breaks behind it: it stays
		// until the next part or the end is there.
		if end {
			text := bytes.TrimRight(chunk, "\r\n")
			if len(text)%4 != 0 {
				return nil, textError(text, len(text), offset, "base64 text comes in groups of 4 characters, padded with =")
			}
			if data, err = decodeBody(data, text, offset, true); err != nil {
				return nil, err
			}
			return Parse(data)
		}
		whole := (len(chunk) - 1) / 4 * 4
		if breaks := len(bytes.TrimRight(chunk, "\r\n")); breaks < whole {
			whole = max(0, breaks-1) / 4 * 4
		}
		if whole == 0 {
			return nil, textError(chunk, 0, offset, "nothing but line breaks")
		}
		if data, err = decodeBody(data, chunk[:whole], offset, false); err != nil {
			return nil, err
		}
		if len(data) > limit {
			return nil, &Error{Field: "length", Offset: -1, Reason: fmt.Sprintf("more than the %d bytes that were allowed", limit), Err: ErrCorrupt}
		}
		offset += int64(whole)
		chunk = append(chunk[:0], chunk[whole:]...)
	}
}
