package idcompressor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The numbered behaviours of the original (R) and decisions where it is at
// fault (Q) that exist.
var numbered = map[string][][2]int{
	"R": {{1, 232}},
	"Q": {{1, 15}, {20, 33}, {40, 43}, {50, 66}, {70, 73}, {80, 84}, {90, 105}, {110, 116}},
}

// meaningless are those that have no meaning in Go, and why.
var meaningless = map[string]string{
	"R112": "there is no subscribing: the hook is an option",
	"R220": "there is no such map: a table gets its keys in order by contract, and the suite of package backendtest checks what it makes of them",
	"R221": "no map: a table has no smallest and greatest key to ask for",
	"R222": "no map: nor a first and last pair",
	"R224": "no map: entries have no positions",
	"R226": "no map: nobody asks for the next higher",
	"R229": "no map: entries have no positions",
	"R230": "no map: a table gives out no ranges of UUIDs",
	"R231": "no map: likewise",
	"R232": "no map: likewise",
	"Q66":  "options are typed, and there is one interface",
	"Q111": "there are no listeners to add or remove: the hook is an option, and not serialized",
	"Q114": "nothing pops: ResizeLast changes the last cluster in place",
	"Q116": "keys are integers: there is no NaN",
}

// elsewhere are the packages whose tests have the rest: UUIDs, normalizers and
// tables.
var elsewhere = []string{"../numericuuid", "../backendtest", "../snapshot"}

// TestNumbers fails for a number that no test names.
func TestNumbers(t *testing.T) {
	named := map[string]string{}
	name := regexp.MustCompile(`\b([RQ])(\d+)(?:[-–]R?(\d+))?`)
	for _, dir := range append([]string{"."}, elsewhere...) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			// The suite of backends is no _test.go itself.
			if filepath.Base(file) == "numbers_test.go" || dir != "../backendtest" && !strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				first, _ := strconv.Atoi(m[2])
				last := max(first, atoi(m[3]))
				for n := first; n <= min(last, first+50); n++ {
					named[m[1]+strconv.Itoa(n)] = file
				}
			}
		}
	}
	for letter, ranges := range numbered {
		for _, r := range ranges {
			for n := r[0]; n <= r[1]; n++ {
				number := fmt.Sprint(letter, n)
				if named[number] == "" && meaningless[number] == "" {
					t.Errorf("no test names %s", number)
				}
			}
		}
	}
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
