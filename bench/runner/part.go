package runner

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"example.com/idlab/bench/workload"
)

// pkg is the package whose benchmarks these are, for readers of the format.
const pkg = "example.com/idlab/bench"

// head returns what a file begins with.
func (p *Plan) head(text []byte) []byte {
	dst := fmt.Appendf(nil, "%s%s\n", planPrefix, text)
	return append(dst, workload.Units()...)
}

const (
	planPrefix = "# idlab plan "
	donePrefix = "# done "
)

// part returns the lines of a unit, of which the results are given.
func (p *Plan) part(u unit, noise float64, note string, results []byte) []byte {
	e := p.Environment
	var b bytes.Buffer
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	b.WriteByte('\n')
	line("goos", e.GOOS)
	line("goarch", e.GOARCH)
	line("pkg", pkg)
	line("cpu", e.CPU)
	line("go", e.Go)
	line("gomaxprocs", strconv.Itoa(e.GOMAXPROCS))
	line("goamd64", e.GOAMD64)
	line("plan", p.Hash)
	line("seed", strconv.FormatUint(p.Request.Seed, 10))
	line("block", strconv.Itoa(u.block))
	line("noise", strconv.FormatFloat(noise, 'f', 4, 64))
	if note != "" {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	b.Write(results)
	fmt.Fprintf(&b, "%s%s ", donePrefix, p.id(u))
	fmt.Fprintf(&b, "%08x\n", crc32.ChecksumIEEE(b.Bytes()))
	return b.Bytes()
}

// readParts returns the names of the units whose parts are whole, and how many
// bytes of the file hold them and the head. Parts follow each other, and the
// first that is damaged ends the reading.
func readParts(data []byte, head []byte) (done map[string]bool, length int) {
	done = map[string]bool{}
	if !bytes.HasPrefix(data, head) {
		return done, 0
	}
	length = len(head)
	for start := length; ; start = length {
		at := bytes.Index(data[start:], []byte("\n"+donePrefix))
		if at < 0 {
			return done, length
		}
		at += start + 1
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			return done, length
		}
		id, sum, ok := strings.Cut(string(data[at+len(donePrefix):at+end]), " ")
		want, err := strconv.ParseUint(sum, 16, 32)
		if !ok || err != nil || crc32.ChecksumIEEE(data[start:at+end-len(sum)]) != uint32(want) {
			return done, length
		}
		done[id] = true
		length = at + end + 1
	}
}
