package folder

import "syscall"

func ctime(st *syscall.Stat_t) (sec, nsec int64) { return st.Ctim.Unix() }
