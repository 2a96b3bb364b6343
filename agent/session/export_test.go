package session

// PageAlarms sets how many alarms are read at once.
func (r *Runtime) PageAlarms(n int) { r.alarms.page = n }
