package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"example.com/idlab/impls/numericuuid"
)

// fields are the members of a line, in its order. Decoding to a map takes five
// times as long, and decoding to a struct does not tell names apart by case.
type fields struct{ members []member }

type member struct{ key, value []byte }

// split cuts a line, which must be a JSON object, into its members. They share
// the line's memory.
func (f *fields) split(line []byte) error {
	f.members = f.members[:0]
	if !json.Valid(line) {
		var v any
		return json.Unmarshal(line, &v) // which says where
	}
	s := scanner(bytes.TrimSpace(line))
	if !s.accept('{') {
		return fmt.Errorf("it is no JSON object")
	}
	for !s.accept('}') {
		key := s.value()
		s.accept(':')
		f.members = append(f.members, member{unquote(key), s.value()})
		s.accept(',')
	}
	return nil
}

// scanner walks over JSON that is known to be valid.
type scanner []byte

func (s *scanner) blanks() {
	for len(*s) > 0 && (*s)[0] <= ' ' {
		*s = (*s)[1:]
	}
}

func (s *scanner) accept(c byte) bool {
	s.blanks()
	if (*s)[0] != c {
		return false
	}
	*s = (*s)[1:]
	return true
}

// value cuts off a value: to the comma, colon or bracket that does not belong to it.
func (s *scanner) value() []byte {
	s.blanks()
	text := *s
	depth := 0
	for i := 0; ; i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			continue
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth >= 0 {
				continue
			}
		case ',', ':':
			if depth > 0 {
				continue
			}
		default:
			continue
		}
		*s = text[i:]
		return bytes.TrimSpace(text[:i])
	}
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) []byte {
	if plain(raw) {
		return raw[1 : len(raw)-1]
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil // it is no string
	}
	return []byte(text)
}

// plain reports whether raw is a JSON string that stands for itself.
func plain(raw []byte) bool {
	if len(raw) < 2 || raw[0] != '"' {
		return false
	}
	for _, c := range raw {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// raw returns the value of a member, of the last one where there are several,
// and nil where there is none.
func (f *fields) raw(key string) []byte {
	for i := len(f.members) - 1; i >= 0; i-- {
		if string(f.members[i].key) == key {
			return f.members[i].value
		}
	}
	return nil
}

func (f *fields) has(key string) bool { return f.raw(key) != nil }

// get decodes a member that must be there.
func get[T any](f *fields, key string) (v T, err error) {
	raw := f.raw(key)
	if raw == nil {
		return v, fmt.Errorf("field %q is missing", key)
	}
	// Most members are plain numbers and strings, and need no decoder.
	switch to := any(&v).(type) {
	case *int64:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			*to = n
			return v, nil
		}
	case *string:
		if plain(raw) {
			*to = string(raw[1 : len(raw)-1])
			return v, nil
		}
	}
	if string(raw) == "null" {
		return v, fmt.Errorf("field %q is null", key)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("field %q: %w", key, err)
	}
	return v, nil
}

// optional decodes a member that may be absent.
func optional[T any](f *fields, key string) (v T, present bool, err error) {
	if !f.has(key) {
		return v, false, nil
	}
	v, err = get[T](f, key)
	return v, true, err
}

// judge decodes a member whose errors are the compressor's to return: they are
// put where failure points.
func (f *fields) judge(key string, to json.Unmarshaler, failure *error) error {
	raw := f.raw(key)
	if raw == nil {
		return fmt.Errorf("field %q is missing", key)
	}
	*failure = to.UnmarshalJSON(raw)
	return nil
}

// uuid returns a UUID, and the one of zeros for a text that is none: that is
// no version 4, and so the compressor judges it, in its order.
func (f *fields) uuid(key string) (uuid.UUID, error) {
	s, err := get[string](f, key)
	if err != nil {
		return uuid.UUID{}, err
	}
	return parseUUID(s), nil
}

func parseUUID(s string) uuid.UUID {
	if n, err := numericuuid.Parse(s); err == nil {
		return n.UUID()
	}
	return uuid.UUID{}
}
