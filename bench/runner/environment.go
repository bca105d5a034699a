package runner

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Environment is where measurements were made. Fields that the system does not
// tell are empty.
type Environment struct {
	GOOS       string `json:"goos"`
	GOARCH     string `json:"goarch"`
	CPU        string `json:"cpu"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	GOAMD64    string `json:"goamd64,omitempty"`
	Kernel     string `json:"kernel,omitempty"`
	CPUs       int    `json:"cpus"`
	VM         string `json:"vm,omitempty"`    // "yes" under a hypervisor, "no" if the CPU says so
	Load       string `json:"load,omitempty"`  // the load average of the last minute, at the start
	Steal      string `json:"steal,omitempty"` // share of the CPU time taken by other machines since boot
}

// Fingerprint reads the environment.
func Fingerprint() Environment {
	e := Environment{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Go: runtime.Version(),
		GOMAXPROCS: runtime.GOMAXPROCS(0), CPUs: runtime.NumCPU(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				e.GOAMD64 = s.Value
			}
		}
	}
	e.Kernel = firstLine("/proc/sys/kernel/osrelease")
	e.Load, _, _ = strings.Cut(firstLine("/proc/loadavg"), " ")
	if flags := cpuinfo("flags"); flags != "" {
		e.VM = "no"
		if strings.Contains(" "+flags+" ", " hypervisor ") {
			e.VM = "yes"
		}
	}
	if e.CPU = cpuinfo("model name"); e.CPU == "" {
		e.CPU = runtime.GOARCH
	}
	if stolen, all, ok := cpuTimes(); ok && all > 0 {
		e.Steal = strconv.FormatFloat(stolen/all, 'f', 4, 64)
	}
	return e
}

// settled is the part of an environment that does not change from minute to
// minute: that of a plan's hash.
func (e Environment) settled() Environment {
	e.Load, e.Steal = "", ""
	return e
}

func firstLine(file string) string {
	data, _ := os.ReadFile(file)
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	return string(bytes.TrimSpace(line))
}

// cpuinfo returns a field of the first processor.
func cpuinfo(key string) string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if k, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// cpuTimes returns the CPU time stolen by other machines, and all of it, in
// ticks since boot.
func cpuTimes() (stolen, all float64, ok bool) {
	const steal = 8 // user nice system idle iowait irq softirq steal; guest is in user
	for i, field := range strings.Fields(firstLine("/proc/stat")) {
		if i == 0 || i > steal {
			continue
		}
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, 0, false
		}
		all += n
		if i == steal {
			stolen, ok = n, true
		}
	}
	return stolen, all, ok
}
