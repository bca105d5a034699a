package report

import (
	"reflect"
	"strings"
	"unicode"

	"example.com/idlab/compare"
)

// clean copies r without what a name must not do to a page or a terminal:
// control characters (an escape sequence moves the cursor), line breaks,
// changes of the direction of writing, and bytes that are no UTF-8.
func clean(r *compare.Report) *compare.Report {
	return copyClean(reflect.ValueOf(r)).Interface().(*compare.Report)
}

func copyClean(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(cleanString(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(copyClean(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(copyClean(v.Index(i)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(copyClean(v.Field(i)))
		}
	default:
		out.Set(v)
	}
	return out
}

func cleanString(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029', r == '\ufffe', r == '\uffff':
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
