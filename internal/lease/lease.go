// Package lease lets one process at a time do a job. If that process is killed, another one can do the job soon.
package lease

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

const (
	// Max bounds a lease of a job. A longer one is from before the clock was set back.
	Max = 10 * time.Minute
	// lasts is the time after which another process may do the job of a killed one.
	lasts = 15 * time.Second
	// renewEvery is the time between two renewals.
	renewEvery = 4 * time.Second
)

// ErrLost ends the work of an owner whose lease another process has.
var ErrLost = errors.New("another process does the job")

// Jobs stores leases. It is safe for concurrent use.
type Jobs interface {
	// TakeJob takes or extends the lease of a job. It returns false while another owner has it. A lease
	// that ends later than Max from now does not count.
	TakeJob(ctx context.Context, job, owner string, until time.Time) (bool, error)
	// EndJob ends the lease of an owner.
	EndJob(ctx context.Context, job, owner string) error
	// JobRuns reports whether anybody has the lease of a job.
	JobRuns(ctx context.Context, job string) (bool, error)
}

// Take takes the lease of a job for a new owner. The owner is "" while somebody else has it.
func Take(ctx context.Context, jobs Jobs, job string, now func() time.Time) (owner string, err error) {
	owner = uuid.NewString()
	mine, err := jobs.TakeJob(ctx, job, owner, now().Add(lasts))
	if err != nil || !mine {
		return "", err //nolint:wrapcheck // the store names the operation
	}
	return owner, nil
}

// Hold keeps the lease of an owner while work runs, and ends it then, also if ctx has ended. If the lease is lost, it
// cancels the context of work with ErrLost as the cause.
func Hold(ctx context.Context, jobs Jobs, job, owner string, now func() time.Time, work func(ctx context.Context) error) error {
	working, stop := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-tick.C:
			}
			if mine, err := jobs.TakeJob(working, job, owner, now().Add(lasts)); err == nil && !mine {
				stop(ErrLost)
			}
		}
	}()
	err := work(working)
	stop(nil)
	<-renewed
	// The end of the server must not leave the lease behind.
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewEvery)
	defer cancel()
	return errors.Join(err, jobs.EndJob(rest, job, owner))
}
