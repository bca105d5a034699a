package live

import "sync"

// mailbox holds events without bound, so that who tells them never waits for
// who works on them: that one may be waiting for the teller to end.
type mailbox struct {
	mu    sync.Mutex
	mail  []nodeEvent
	ready chan struct{}
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(e nodeEvent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mail = append(m.mail, e)
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// take returns what has come since it was called last.
func (m *mailbox) take() []nodeEvent {
	m.mu.Lock()
	defer m.mu.Unlock()
	mail := m.mail
	m.mail = nil
	return mail
}
