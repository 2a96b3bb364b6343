#!/bin/sh
set -e
# dpkg passes "remove", and rpm passes the number of remaining versions.
case "${1:-}" in
remove | 0)
  if [ -d /run/systemd/system ]; then systemctl disable --now docent.service; fi
  ;;
esac
