# Checks shared by the package tests; sourced after tests/lib.sh.

# names_no_builder FOLDER [TEXT…]: no file of a package or of its archive may contain the build folder, the user or host
# name of the build, or a TEXT. Licence files are excluded, because they contain other names and paths.
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
  case $machine in *[0-9-]*) ;; *) machine=$root ;; esac # a host name that is a plain word may occur by chance
  for word in "$root" "$tmp" "${HOME:-/}/" /home/ "$(id -un)@" "$machine" release/bin "$@"; do
    case $word in ?????*) ;; *) continue ;; esac # skip short words, which may match by chance
    found=$(grep -rlaF -- "$word" "$tmp/copy/open" || true)
    [ -z "$found" ] || fail "$found contains $word"
  done
}

# the_same FOLDER FOLDER NAME: the packages of this name in both folders, and their archives, must be identical.
the_same() {
  diff -r "$1/$3" "$2/$3" || fail "the folders differ"
  for kind in tar.zst run flatpak.json; do
    cmp "$1/$3.$kind" "$2/$3.$kind" || fail "the .$kind differs"
  done
}

# package_quickly COMMAND…: runs a command that packages a game, with the lowest compression of the archives, which takes
# a fifth of the time. For tests of the folder.
package_quickly() {
  mkdir -p "$tmp/quick"
  for program in zstd gzip; do
    printf '#!/bin/sh\nexec "%s" "$@" -1\n' "$(command -v $program)" >"$tmp/quick/$program"
    chmod +x "$tmp/quick/$program"
  done
  (PATH=$tmp/quick:$PATH && "$@")
}
