package numericuuid

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, s string) UUID {
	t.Helper()
	n, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// listed are UUIDs at the edges of the three fields.
var listed = []string{
	"00000000-0000-4000-8000-000000000000",
	"00000000-0000-4000-8000-000000000001",
	"00000000-0000-4000-bfff-ffffffffffff",
	"00000000-0000-4fff-bfff-ffffffffffff",
	"00000000-0001-4000-8000-000000000000",
	"10000000-0000-4000-8000-000000000005",
	"20000000-0000-4000-8000-000000000009",
	"403f1e16-5265-4074-8507-417d99a05ee9",
	"4b02675a-5a81-428d-b7b7-d8c33a16bfde",
	"88888888-8888-4888-b088-888888888888",
	"e507602d-b150-4fcc-bfff-ffffffffffff",
	"e507602d-b150-4fcd-8000-000000000000",
	"ffffffff-0000-4000-8000-000000000000",
	"fffffff0-0000-4000-8000-000000000000",
	"ffffffff-ffff-4000-8000-000000000000",
	"f0000000-0000-4fff-bfff-ffffffffffff",
}

// R201, R207: reading and writing are inverse.
func TestRoundTrip(t *testing.T) {
	if n := mustParse(t, listed[0]); n != (UUID{}) {
		t.Errorf("zero UUID is %v", n)
	}
	if n := mustParse(t, "ffffffff-ffff-4fff-bfff-ffffffffffff"); n != Max {
		t.Errorf("greatest UUID is %v, want %v", n, Max)
	}
	for _, s := range listed {
		if got := mustParse(t, s).String(); got != s {
			t.Errorf("%s comes back as %s", s, got)
		}
		if got := mustParse(t, strings.ToUpper(s)).String(); got != s {
			t.Errorf("%s in upper case comes back as %s", s, got)
		}
	}
}

// R202, R203 and the carries of part 1.21.
func TestAddCarries(t *testing.T) {
	for _, c := range [][2]string{
		{"00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001"},
		{"e507602d-b150-4fcc-bfff-ffffffffffff", "e507602d-b150-4fcd-8000-000000000000"},
		{"00000000-0000-4fff-bfff-ffffffffffff", "00000000-0001-4000-8000-000000000000"},
	} {
		if got := mustParse(t, c[0]).Add(1).String(); got != c[1] {
			t.Errorf("%s + 1 = %s, want %s", c[0], got, c[1])
		}
	}
	if Max.Add(1).Valid() || !Max.Valid() {
		t.Error("the greatest UUID and its successor")
	}
}

// R204.
func TestSub(t *testing.T) {
	a, b := mustParse(t, "20000000-0000-4000-8000-000000000009"), mustParse(t, "10000000-0000-4000-8000-000000000005")
	hi, lo := a.Diff(b)
	if got := (UUID{}).AddDiff(hi, lo).String(); got != "10000000-0000-4000-8000-000000000004" {
		t.Errorf("difference %s", got)
	}
	if _, ok := a.Sub(b); ok {
		t.Error("a difference of more than 64 bits was taken for a small one")
	}
	if _, ok := b.Sub(a); ok {
		t.Error("a negative difference was taken for a small one")
	}
}

// R205.
func TestOffsetsStayV4(t *testing.T) {
	for _, s := range listed {
		n := mustParse(t, s)
		for _, d := range []uint64{1, 100, 1e6, 1e16} {
			u := n.Add(d).UUID()
			if u.Version() != 4 || u.Variant() != uuid.RFC4122 {
				t.Errorf("%s + %d = %s is no v4", s, d, u)
			}
			if got, ok := n.Add(d).Sub(n); !ok || got != d {
				t.Errorf("%s + %d - itself = %d, %v", s, d, got, ok)
			}
		}
	}
}

// R206.
func TestDifferencesAddBack(t *testing.T) {
	for _, s := range listed {
		for _, r := range listed {
			a, b := mustParse(t, s), mustParse(t, r)
			if got := b.AddDiff(a.Diff(b)); got != a {
				t.Errorf("%s + (%s - %s) = %s", r, s, r, got)
			}
		}
	}
}

func genUUID() *rapid.Generator[UUID] {
	return rapid.Custom(func(t *rapid.T) UUID {
		word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 62, 1<<62 - 1, 1<<64 - 1}))
		return UUID{Hi: word.Draw(t, "hi") & (1<<58 - 1), Lo: word.Draw(t, "lo")}
	})
}

func (n UUID) big() *big.Int {
	b := new(big.Int).SetUint64(n.Hi)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(n.Lo))
}

func TestAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genUUID().Draw(t, "a"), genUUID().Draw(t, "b")
		d := rapid.Uint64().Draw(t, "d")
		if got, want := a.Add(d).big(), new(big.Int).Add(a.big(), new(big.Int).SetUint64(d)); got.Cmp(want) != 0 {
			t.Fatalf("%v + %d = %v, want %v", a, d, got, want)
		}
		if got, want := a.Compare(b), a.big().Cmp(b.big()); got != want {
			t.Fatalf("compare %v %v = %d, want %d", a, b, got, want)
		}
		diff := new(big.Int).Sub(a.big(), b.big())
		got, ok := a.Sub(b)
		if ok != diff.IsUint64() || ok && got != diff.Uint64() {
			t.Fatalf("%v - %v = %d, %v, want %v", a, b, got, ok, diff)
		}
		prev, ok := a.Prev()
		if ok != (a != UUID{}) || ok && prev.Add(1) != a {
			t.Fatalf("the number before %v is %v, %v", a, prev, ok)
		}
		if back, ok := FromUUID(a.UUID()); !ok || back != a {
			t.Fatalf("%v comes back as %v, %v", a, back, ok)
		}
		if a.String() != a.UUID().String() {
			t.Fatalf("text %s, want %s", a, a.UUID())
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for _, s := range []string{
		"", "abc", "not-a-uuid", strings.Repeat("a", 1<<16),
		"{88888888-8888-4888-b088-888888888888}", "88888888888848889088888888888888",
		"urn:uuid:88888888-8888-4888-b088-888888888888", " 8888888-8888-4888-b088-888888888888",
		"88888888-8888-1888-b088-888888888888", "88888888-8888-4888-c088-888888888888",
		"88888888-8888-4888-b088-88888888888g", "88888888x8888-4888-b088-888888888888",
	} {
		_, err := Parse(s)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%.40q: error %v", s, err)
		} else if len(err.Error()) > 300 {
			t.Errorf("%.40q: an error of %d bytes", s, len(err.Error()))
		}
	}
}

func ExampleUUID_Add() {
	session, _ := Parse("e507602d-b150-4fcc-bfff-ffffffffffff")
	fmt.Println(session.Add(1))
	// Output: e507602d-b150-4fcd-8000-000000000000
}

func BenchmarkAppendText(b *testing.B) {
	n := UUID{Hi: 0x0100fc785949941d, Lo: 0x0507417d99a05ee9}
	buf := make([]byte, 0, 36)
	for b.Loop() {
		buf = n.AppendText(buf[:0])
	}
}
