# What the tests of packages share; sourced behind tests/lib.sh.

# names_no_builder FOLDER [WORD…]: nothing in a package's files, nor in those of its archive, names the place where it
# was built, who built it, or the machine; nor a WORD. (Licences name many people.)
names_no_builder() {
  place=$1
  shift
  rm -rf "$tmp/copy/open"
  mkdir -p "$tmp/copy"
  cp -r "$place" "$tmp/copy/open"
  if command -v unzip >/dev/null; then
    for archive in "$tmp/copy/open"/*.data; do
      unzip -q -d "$tmp/copy/open/archive" "$archive" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
    done
  fi
  rm -rf "$tmp/copy/open/licences"
  machine=$(uname -n)
  case $machine in *[0-9-]*) ;; *) machine=$root ;; esac # a word, which may be anywhere
  for word in "$root" "$tmp" "${HOME:-/}/" /home/ "$(id -un)@" "$machine" release/bin "$@"; do
    case $word in ?????*) ;; *) continue ;; esac # too short to say anything
    found=$(grep -rlaF -- "$word" "$tmp/copy/open" || true)
    [ -z "$found" ] || fail "$word is in $found"
  done
}

# the_same FOLDER FOLDER NAME: two packages of this name, with their archives, byte by byte.
the_same() {
  diff -r "$1/$3" "$2/$3" || fail "the folders differ"
  for kind in tar.zst run flatpak.json; do
    cmp "$1/$3.$kind" "$2/$3.$kind" || fail "the .$kind differs"
  done
}
