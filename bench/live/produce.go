package live

import "time"

// left returns how many IDs are still to be issued, those in the making
// included.
func (d *driver) left() int64 { return d.IDs - d.ledger.issued }

// aim draws how many IDs the next operation creates: Range in the mean.
func (d *driver) aim() {
	if d.target == 0 {
		d.target = max(1, d.Range/2+d.rng.IntN(d.Range+1))
	}
}

// produce generates the IDs that are due.
func (d *driver) produce() error {
	if d.Rate == 0 {
		return d.produceOne()
	}
	due := int64(time.Since(d.paceFrom).Seconds()*d.Rate) - d.paced
	for due > 0 && d.left() > int64(d.s.Drafted()) {
		d.aim()
		n := min(due, d.left()-int64(d.s.Drafted()), int64(d.target-d.s.Drafted()))
		if err := d.s.Generate(int(n)); err != nil {
			return err
		}
		d.paced += n
		due -= n
		if d.s.Drafted() >= d.target || int64(d.s.Drafted()) == d.left() {
			if err := d.cut(); err != nil {
				return err
			}
		}
	}
	return nil
}

// produceOne makes an operation if no more are pending than the window allows,
// or the node is cut off.
func (d *driver) produceOne() error {
	if ops, _ := d.s.Pending(); d.left() <= 0 || d.link != nil && ops >= d.Window {
		return nil
	}
	d.aim()
	if err := d.s.Generate(int(min(int64(d.target), d.left()))); err != nil {
		return err
	}
	return d.cut()
}

// cut ends the operation that is being made.
func (d *driver) cut() error {
	issued, err := d.s.Cut(time.Now())
	if err != nil {
		return err
	}
	d.target = 0
	return d.ledger.tell(issued)
}

// wake returns how long there is nothing to do without a message.
func (d *driver) wake() time.Duration {
	wait := statusEvery
	if d.left() > int64(d.s.Drafted()) {
		switch ops, _ := d.s.Pending(); {
		case d.Rate > 0:
			due := d.paceFrom.Add(time.Duration(float64(d.paced+1) / d.Rate * float64(time.Second)))
			wait = max(time.Until(due), time.Millisecond)
		case d.link == nil || ops < d.Window:
			wait = 0
		}
	}
	if d.link == nil {
		return min(wait, max(time.Until(d.cutDeadline), 0))
	}
	if out := d.s.Outgoing(); out != nil && !d.link.busy {
		wait = min(wait, max(time.Until(out.Made.Add(d.Latency/2)), 0))
	}
	return wait
}
