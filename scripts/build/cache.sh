# Sourced by luajit.sh, pinned_library.sh and libraries.sh: stores results of builds in the user's cache, so that all
# working trees share them. Each result is a folder NAME-KEY, whose key is a checksum of everything that the result
# depends on. It is built in a temporary folder and renamed when it is complete, so that a build that fails or is
# interrupted leaves no files. Builds of the same result wait for each other. When a result is stored, results of the
# same name that were not used for 90 days are deleted; the modification time of a folder is the time of its last use.
# The script that sources this file defines say, die and $root.

cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/shoal
hint="free some space in $cache if the disk is full" # what to do if a build fails
jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# cache_folder NAME: prints the folder of a result from the text that it depends on, which is read from the standard
# input. The path of the tree is removed from the text.
cache_folder() { echo "$cache/$1-$(sed "s|$root||g" | cksum | tr ' ' -)"; }

# cache_has FOLDER FILE: succeeds if the result is complete, that is, contains the file; records that it is in use.
cache_has() {
  touch -c "$1" 2>/dev/null || true # fails in a cache that belongs to another user
  [ -e "$1/$2" ]
}

# cache_begin NAME: waits for other builds of this result and creates the temporary folder $work, which is removed when
# the script exits.
cache_begin() {
  mkdir -p "$cache" 2>/dev/null && work=$(mktemp -d "$cache/build.XXXXXX" 2>/dev/null) ||
    die "cannot write $cache: free some space on the disk, or set XDG_CACHE_HOME to a folder that you can write"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  ! command -v flock >/dev/null 2>&1 || {
    exec 8>"$cache/.$1.lock"
    flock -n 8 || { say "waiting for another build of $1 to finish"; flock 8; }
  }
}

# cache_run TASK COMMAND…: runs the command, with its output in $work/log. If it fails, prints the end of the output and
# exits.
cache_run() {
  task=$1
  shift
  "$@" >>"$work/log" 2>&1 </dev/null || {
    tail -n 20 "$work/log" >&2
    die "cannot $task (see above): $hint"
  }
}

# cache_store FROM FOLDER: renames the complete result FROM to FOLDER, unless another build has created it meanwhile,
# and deletes unused results.
cache_store() {
  [ -e "$2" ] || mv "$1" "$2" || die "cannot write $2"
  rm -rf "$2/$(basename "$1")" # another build may have finished between the two commands of the previous line
  touch "$2"
  delete_unused "$(basename "${2%-*-*}")"
}

# delete_unused NAME: moves unused results, and the temporary folders of builds that were killed, to $work, which is
# deleted later: a result is therefore never incomplete. Called with the lock held.
delete_unused() {
  find "$cache" -maxdepth 1 -type d \( -name "$1-[0-9]*-[0-9]*" -o -name 'build.??????' \) -mtime +90 \
    -exec mv {} "$work/" \; 2>/dev/null || true
}

# ---- pinned sources

# is_source FILE SHA256: succeeds if the file has this checksum.
is_source() {
  sum=$(sha256sum "$1" 2>/dev/null || shasum -a 256 "$1" 2>/dev/null) || return 1
  [ "${sum%% *}" = "$2" ]
}

# download_source FILE SHA256 PACKAGE: downloads the file from the folder of PACKAGE, which Debian builds from the same
# source, on the mirror of the installed packages. Tries the folders of all available versions, because the folder of a
# security update may lack the original source. Requires apt, but no source lists and no root.
download_source() {
  helper=/usr/lib/apt/apt-helper
  [ -x "$helper" ] || return 1
  for version in "" $(apt-cache madison "$3" 2>/dev/null | awk -F ' *[|] *' '{ print "=" $2 }'); do
    uri=$(apt-get download --print-uris "$3$version" 2>/dev/null | sed -n "s/^'\([^']*\)\/[^/']*'.*/\1/p")
    [ -n "$uri" ] || continue
    ! "$helper" -o APT::Sandbox::User= download-file "$uri/$1" "$work/$1" "SHA256:$2" >"$work/log" 2>&1 || return 0
  done
  return 1
}

# cache_source TITLE FILE SHA256 PACKAGE [ORIGIN]: sets $archive to the verified source, which is taken from the folder
# $SHOAL_SOURCES or from the cache, or is downloaded. ORIGIN tells users where to find the file; the default is Debian's
# source package, whose name precedes _ in FILE. Requires $work (cache_begin).
cache_source() {
  archive=${SHOAL_SOURCES:-$cache}/$2
  [ -e "$archive" ] || archive=$cache/$2
  if [ ! -e "$archive" ]; then
    say "downloading $1's source"
    download_source "$2" "$3" "$4" && is_source "$work/$2" "$3" && mv "$work/$2" "$archive" ||
      die "cannot download the source: put $2 (${5:-of Debian's source package ${2%%_*}}; SHA-256 $3) into a folder and" \
        "set SHOAL_SOURCES to that folder, or $hint"
  fi
  is_source "$archive" "$3" ||
    die "$archive has a wrong checksum: replace it with the file with the SHA-256 $3, or delete it"
}
