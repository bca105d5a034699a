package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"example.com/idlab/bench/workload"
	"example.com/idlab/impls/idcompressor"
)

// A peer says, in a comment, what its first answers were:
//
//	# answers Decompress {"doc":"sessions","ids":"random"} 1000 fnv1a=89abcdef
//
// The checksum is FNV-1a over the answers as lines of text. Where it asks the
// queries it was given, they must be ours.

const answersPrefix = "# answers "

// answered is how many answers of a benchmark are in its checksum.
const answered = 1000

// hotQueries is how many queries are asked again and again.
const hotQueries = 64

// checkAnswers compares the answers of a peer with those that a compressor
// gives on the same document.
func (r *run) checkAnswers(u unit, out []byte) error {
	files := r.peerDocs[u.document]
	if files == nil || u.subject < len(r.plan.Request.Subjects) {
		return nil
	}
	for line := range bytes.Lines(out) {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(answersPrefix))
		if !ok {
			continue
		}
		key, got, err := readAnswers(string(rest))
		if err != nil {
			return err
		}
		// What it says of a part of the document is not the whole's.
		if want, ok := files.answers[key]; ok && want != got && !r.plan.subject(u).partial() {
			return fmt.Errorf("%s: wrong answers: checksum %s, a compressor's on the same document is %s", key, got, want)
		}
	}
	return nil
}

// partial reports whether a peer answers for the first IDs of a document only.
func (s Subject) partial() bool { return strings.HasPrefix(s.Backend, "uuid-map") }

// readAnswers returns the key of the benchmark, and number and checksum.
func readAnswers(line string) (key, sum string, err error) {
	op, rest, _ := strings.Cut(line, " ")
	d := json.NewDecoder(strings.NewReader(rest))
	var keys map[string]any
	if err := d.Decode(&keys); err != nil {
		return "", "", fmt.Errorf("%s%s: %w", answersPrefix, line, err)
	}
	key = op
	for _, name := range []string{"ids", "from", "form", "as"} {
		if value, ok := keys[name]; ok {
			key += fmt.Sprintf("/%s=%v", name, value)
		}
	}
	return key, strings.TrimSpace(rest[d.InputOffset():]), nil
}

// peerAnswers works out the right answers on a document, by benchmark.
func peerAnswers(d *workload.Document, ranges bool) (map[string]string, error) {
	c, err := d.Compressor(idcompressor.DefaultBackend)
	if err != nil {
		return nil, err
	}
	var finals, stables []string
	for final := range d.Finals(answered) {
		u, err := c.Decompress(idcompressor.SessionSpaceID(final))
		if err != nil {
			return nil, err
		}
		finals = append(finals, strconv.FormatInt(final, 10))
		stables = append(stables, u.String())
	}
	text, err := c.AppendSerializedText(nil, false)
	if err != nil {
		return nil, err
	}
	stored := sumOf([]string{string(text)})
	hot := min(len(finals), hotQueries)
	answers := map[string]string{
		"Decompress/ids=random":              sumOf(stables),
		"Decompress/ids=random/as=text":      sumOf(stables),
		"Decompress/ids=hot":                 sumOf(stables[:hot]),
		"Recompress/ids=random":              sumOf(finals),
		"Recompress/ids=random/as=text":      sumOf(finals),
		"Recompress/ids=hot":                 sumOf(finals[:hot]),
		"NormalizeToSessionSpace/ids=remote": sumOf(finals),
		"Serialize/form=v3":                  stored,
		"Deserialize/form=v3":                stored,
	}
	if !ranges {
		return answers, nil
	}
	built, err := idcompressor.New()
	if err != nil {
		return nil, err
	}
	for r := range d.Ranges() {
		if err := built.FinalizeCreationRange(r); err != nil {
			return nil, err
		}
	}
	if text, err = built.AppendSerializedText(text[:0], false); err != nil {
		return nil, err
	}
	answers[fromRanges] = sumOf([]string{string(text)})
	return answers, nil
}

func sumOf(lines []string) string {
	h := fnv.New32a()
	for _, line := range lines {
		h.Write([]byte(line)) // it has no error
		h.Write([]byte{'\n'})
	}
	return fmt.Sprintf("%d fnv1a=%08x", len(lines), h.Sum32())
}
