#!/bin/sh
set -e
if ! getent passwd docent >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/docent --no-create-home --shell /usr/sbin/nologin docent
fi
# The file may hold keys, and the folder holds documents.
chown root:docent /etc/docent/docent.yaml
chmod 640 /etc/docent/docent.yaml
chown docent:docent /var/lib/docent
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart docent.service
fi
