#!/bin/sh
# Makes the PDFs of this folder from pump.fodt: see README.md.
set -eu
cd "$(dirname "$0")"
office() { # office OUT OPTIONS
  rm -rf out
  soffice --headless --convert-to "pdf:writer_pdf_Export:{$2}" --outdir out pump.fodt >/dev/null
  mv out/pump.pdf "$1"
  rmdir out
}
yes='{"type":"boolean","value":"true"}'
office office.pdf "\"ExportNotes\":$yes,\"ExportFormFields\":$yes,\"ExportBookmarks\":$yes"
office office-tagged.pdf "\"UseTaggedPDF\":$yes,\"ExportFormFields\":$yes,\"ExportBookmarks\":{\"type\":\"boolean\",\"value\":\"false\"}"
office office-password.pdf "\"EncryptFile\":$yes,\"DocumentOpenPassword\":{\"type\":\"string\",\"value\":\"secret\"}"
office office-restricted.pdf "\"RestrictPermissions\":$yes,\"PermissionPassword\":{\"type\":\"string\",\"value\":\"owner\"},\"Changes\":{\"type\":\"long\",\"value\":\"0\"}"
encrypt() { # encrypt NAME PASSWORD BITS [OPTION...]
  out=$1 user=$2 bits=$3
  shift 3
  qpdf --allow-weak-crypto --encrypt "$user" owner "$bits" "$@" -- office.pdf "$out.pdf"
}
encrypt rc4-40-empty '' 40
encrypt rc4-128-empty '' 128 --use-aes=n
encrypt aes-128-empty '' 128 --use-aes=y
encrypt aes-256-empty '' 256
encrypt rc4-128-password secret 128 --use-aes=n
encrypt aes-256-password secret 256
