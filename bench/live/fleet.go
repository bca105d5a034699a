package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// fleet is the embedded servers of a run, each a process.
type fleet struct {
	binary  string
	servers []*embedded
	spent   time.Duration // processor time of processes that ended
}

type embedded struct {
	config ServerConfig
	p      *process
	url    string
}

func startFleet(binary, dir string, n int) (*fleet, error) {
	f := &fleet{binary: binary}
	var ports []int
	if n > 1 {
		var err error
		if ports, err = freePorts(n); err != nil {
			return nil, err
		}
	}
	var routes []string
	for _, port := range ports {
		routes = append(routes, fmt.Sprintf("nats://%s:%d", loopback, port))
	}
	for i := range n {
		name := fmt.Sprintf("server-%d", i+1)
		c := ServerConfig{Name: name, Dir: filepath.Join(dir, name), Routes: routes}
		if n > 1 {
			c.Route = ports[i]
		}
		f.servers = append(f.servers, &embedded{config: c})
	}
	var all sync.WaitGroup
	errs := make([]error, n)
	for i, s := range f.servers {
		all.Go(func() { errs[i] = f.start(s) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		f.stop(false)
		return nil, err
	}
	return f, nil
}

// start starts a server, again on the port that it had.
func (f *fleet) start(s *embedded) error {
	ready := make(chan serverReady, 1)
	p, err := launch(f.binary, ServerCommand, nil, s.config, func(line json.RawMessage) {
		var r serverReady
		if err := json.Unmarshal(line, &r); err != nil {
			r.Error = err.Error()
		}
		select {
		case ready <- r:
		default:
		}
	})
	if err != nil {
		return err
	}
	s.p = p
	select {
	case r := <-ready:
		if r.Error != "" {
			return errors.New(r.Error)
		}
		s.url = r.URL
		_, err = fmt.Sscanf(r.URL[strings.LastIndexByte(r.URL, ':'):], ":%d", &s.config.Port)
		return err
	case <-p.exited:
		return fmt.Errorf("%s ended: %w", s.config.Name, p.err)
	case <-time.After(startup + time.Second):
		return fmt.Errorf("%s does not get ready", s.config.Name)
	}
}

func (f *fleet) kill(i int) {
	f.servers[i].p.kill()
	f.spent += f.servers[i].p.cpu()
}

func (f *fleet) urls() string {
	var urls []string
	for _, s := range f.servers {
		urls = append(urls, s.url)
	}
	return strings.Join(urls, ",")
}

// stop ends all servers, in good order if what they store is kept.
func (f *fleet) stop(keep bool) {
	var all sync.WaitGroup
	for _, s := range f.servers {
		switch {
		case s.p == nil:
		case keep:
			all.Go(s.p.stop)
		default:
			all.Go(s.p.kill)
		}
	}
	all.Wait()
	for _, s := range f.servers {
		if s.p != nil {
			f.spent += s.p.cpu()
		}
	}
}
