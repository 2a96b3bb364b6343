#!/bin/sh
# Makes the documents of this folder from pump.md with pandoc 2.17.
set -eu
cd "$(dirname "$0")"
for to in rst:rst org:org asciidoc:adoc latex:tex docbook5:dbk jats_archiving:nxml ipynb:ipynb html5:html epub3:epub odt:odt docx:docx rtf:rtf; do
  pandoc --standalone --to="${to%%:*}" --output="pump.${to##*:}" pump.md
done
