"""Makes an empty database for docent, and a configuration with which BAF's monitoring
reads its views. Run .ci/baf-clients.

python database.py URL NAME CONFIGURATION: prints the URL of the database NAME.
"""

import json
import sys
from urllib.parse import urlsplit

import psycopg2

admin, name, configuration = sys.argv[1:]
connection = psycopg2.connect(admin)
connection.autocommit = True
with connection.cursor() as cursor:
    cursor.execute(f"DROP DATABASE IF EXISTS {name}")
    cursor.execute(f"CREATE DATABASE {name}")
url = urlsplit(admin)
with open(configuration, "w", encoding="utf-8") as file:
    json.dump(  # which is YAML too
        {"db": {"monitoring": {
            "enabled": True, "dialect": "postgresql", "host": url.hostname, "port": url.port or 5432,
            "database": f"{name}?options=-csearch_path%3Dbaf", "username": url.username, "password": url.password or "",
        }}}, file)
print(url._replace(path="/" + name).geturl())
