package idcompressor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// CreationRange announces the IDs a session has generated. Sent to all
// sessions in one total order and finalized there, it gives them their final
// form. Its JSON is Fluid's.
type CreationRange struct {
	SessionID uuid.UUID
	IDs       *RangeIDs // nil if none were generated
}

// RangeIDs are the generation counts FirstGenCount, ..., FirstGenCount+Count-1.
type RangeIDs struct {
	FirstGenCount        int64
	Count                int64
	RequestedClusterSize int64
	// LocalIDRanges are those of them that were generated as local IDs. They
	// are carried for whoever wants to know: finalizing does not read them.
	LocalIDRanges []impls.Run
}

// AppendText appends the JSON of the range, as Fluid writes it.
func (r CreationRange) AppendText(dst []byte) ([]byte, error) {
	dst = append(dst, `{"sessionId":"`...)
	dst = append(dst, r.SessionID.String()...)
	dst = append(dst, '"')
	if ids := r.IDs; ids != nil {
		dst = append(dst, `,"ids":{"firstGenCount":`...)
		dst = strconv.AppendInt(dst, ids.FirstGenCount, 10)
		dst = append(dst, `,"count":`...)
		dst = strconv.AppendInt(dst, ids.Count, 10)
		dst = append(dst, `,"requestedClusterSize":`...)
		dst = strconv.AppendInt(dst, ids.RequestedClusterSize, 10)
		dst = append(dst, `,"localIdRanges":[`...)
		for i, run := range ids.LocalIDRanges {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, '[')
			dst = strconv.AppendInt(dst, run.First, 10)
			dst = append(dst, ',')
			dst = strconv.AppendInt(dst, run.Count, 10)
			dst = append(dst, ']')
		}
		dst = append(dst, "]}"...)
	}
	return append(dst, '}'), nil
}

// MarshalJSON is [json.Marshaler].
func (r CreationRange) MarshalJSON() ([]byte, error) { return r.AppendText(nil) }

// UnmarshalJSON is [json.Unmarshaler]. Unknown fields are ignored, and "ids"
// that are absent or null make the range empty, whatever its session. Errors:
// [ErrInvalidUUID], [ErrOutOfOrder] for a firstGenCount below 1, and
// [ErrMalformedRange] for everything else; each names the field.
func (r *CreationRange) UnmarshalJSON(data []byte) error {
	var wire struct {
		SessionID *string `json:"sessionId"`
		IDs       *struct {
			First  *json.RawMessage     `json:"firstGenCount"`
			Count  *json.RawMessage     `json:"count"`
			Size   *json.RawMessage     `json:"requestedClusterSize"`
			Locals [][]*json.RawMessage `json:"localIdRanges"`
		} `json:"ids"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("idcompressor: range: %w: %w", ErrMalformedRange, err)
	}
	if wire.IDs == nil {
		*r = CreationRange{}
		if wire.SessionID != nil {
			if id, err := numericuuid.Parse(*wire.SessionID); err == nil {
				r.SessionID = id.UUID()
			}
		}
		return nil
	}
	if wire.SessionID == nil {
		return fmt.Errorf("idcompressor: range: %w: sessionId is missing", ErrInvalidUUID)
	}
	session, err := numericuuid.Parse(*wire.SessionID)
	if err != nil {
		return fmt.Errorf("idcompressor: range: sessionId: %w", err)
	}
	ids := &RangeIDs{}
	for _, f := range []struct {
		name string
		raw  *json.RawMessage
		to   *int64
	}{
		{"count", wire.IDs.Count, &ids.Count},
		{"requestedClusterSize", wire.IDs.Size, &ids.RequestedClusterSize},
		{"firstGenCount", wire.IDs.First, &ids.FirstGenCount},
	} {
		if *f.to, err = safeInteger(f.raw); err != nil {
			return fmt.Errorf("idcompressor: range: %w: ids.%s: %w", ErrMalformedRange, f.name, err)
		}
	}
	for i, pair := range wire.IDs.Locals {
		run, err := runOf(pair)
		if err != nil {
			return fmt.Errorf("idcompressor: range: %w: ids.localIdRanges[%d]: %w", ErrMalformedRange, i, err)
		}
		ids.LocalIDRanges = append(ids.LocalIDRanges, run)
	}
	if err := ids.check(); err != nil {
		return err
	}
	if ids.FirstGenCount < 1 {
		return fmt.Errorf("idcompressor: range: %w: ids.firstGenCount is %d", ErrOutOfOrder, ids.FirstGenCount)
	}
	*r = CreationRange{SessionID: session.UUID(), IDs: ids}
	return nil
}

// check judges the shape of a range. Where it begins is judged with the order.
func (ids *RangeIDs) check() error {
	switch {
	case ids.Count < 1:
		return fmt.Errorf("idcompressor: range: %w: ids.count is %d", ErrMalformedRange, ids.Count)
	case ids.RequestedClusterSize < MinClusterSize || ids.RequestedClusterSize > MaxClusterSize:
		return fmt.Errorf("idcompressor: range: %w: ids.requestedClusterSize %d is outside %d to %d",
			ErrMalformedRange, ids.RequestedClusterSize, MinClusterSize, MaxClusterSize)
	}
	return nil
}

func runOf(pair []*json.RawMessage) (impls.Run, error) {
	if len(pair) != 2 {
		return impls.Run{}, fmt.Errorf("%d numbers instead of 2", len(pair))
	}
	first, err := safeInteger(pair[0])
	if err != nil {
		return impls.Run{}, err
	}
	count, err := safeInteger(pair[1])
	if err != nil {
		return impls.Run{}, err
	}
	run := impls.Run{First: first, Count: count}
	if impls.CheckRun(run, 0) != nil {
		return impls.Run{}, fmt.Errorf("[%d,%d] are no generation counts", first, count)
	}
	return run, nil
}

// safeInteger reads what JavaScript calls a safe integer, however it is spelled.
func safeInteger(raw *json.RawMessage) (int64, error) {
	if raw == nil {
		return 0, fmt.Errorf("is missing")
	}
	text := bytes.TrimSpace(*raw)
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > impls.MaxID {
		const most = 40
		return 0, fmt.Errorf("%.*s is not an integer below 2^53", most, text)
	}
	return int64(f), nil
}
