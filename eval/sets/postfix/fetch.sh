#!/bin/sh
# Get the corpus of questions.jsonl: the HTML documentation in Debian's package postfix-doc (bookworm).
# Usage: sh fetch.sh [FOLDER]      makes FOLDER (default: postfix-html) with 128 .html files; each file is one document.
set -eu
LC_ALL=C; export LC_ALL
out=${1:-postfix-html}
version=3.7.11-0+deb12u1
deb=postfix-doc_${version}_all.deb
sum=6b07bcc68991703acf747dc2500355bdd02aef0a048419b939752c39faf47d8d
[ -f "$deb" ] || apt-get download "postfix-doc=$version" ||
	curl -fLO "https://deb.debian.org/debian/pool/main/p/postfix/$deb"
echo "$sum  $deb" | sha256sum -c -
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
dpkg -x "$deb" "$tree"
mkdir -p "$out"
cp -L "$tree"/usr/share/doc/postfix/html/*.html "$out"/
cd "$out"
# Left out: exact copies of other pages (mailq, newaliases = sendmail; defer, trace = bounce; lmtp = smtp),
# the table of contents, and the two pages about older releases that contradict the current ones.
rm -f mailq.1.html newaliases.1.html defer.8.html trace.8.html lmtp.8.html index.html \
	TLS_LEGACY_README.html POSTSCREEN_3_5_README.html
n=$(ls | wc -l)
have=$(cat *.html | sha256sum | cut -d' ' -f1)
echo "$n files, all together $have"
[ "$n" = 128 ] && [ "$have" = 4b0259b43a56b8d5a60301f06bb1f70b1de48212e697095949248392b64eb21a ]
