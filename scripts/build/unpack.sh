#!/bin/sh
# Header of the self-extracting file made by ./shoal package. package.sh replaces the @PLACEHOLDERS@ and appends a
# tar.gz. Requires only sh, tar, gzip and sha256sum.
set -eu

title=@TITLE@
folder=@FOLDER@
program=@PROGRAM@
id=@ID@
machine=@MACHINE@
lines=@LINES@
sum=@SUM@

# Prints an error and exits. Also shows it in a dialog if there is no terminal, as when started from a file manager.
die() {
  echo "$title: $*" >&2
  if [ ! -t 2 ] && [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
    { command -v zenity >/dev/null && zenity --error --text "$title: $*"; } ||
      { command -v kdialog >/dev/null && kdialog --error "$title: $*"; } || true
  fi 2>/dev/null
  exit 2
}

data=${XDG_DATA_HOME:-${HOME-}/.local/share}
to= only= remove=
while [ $# -gt 0 ]; do
  case $1 in
  --to) [ $# -ge 2 ] || die "--to requires a folder"; to=$2 only=yes; shift ;;
  --remove) remove=yes ;;
  --help | -h)
    cat <<END
usage: $(basename "$0") [options]
Starts $title. The first start unpacks the game into $data/shoal/games and adds it to the desktop's menu.
--to FOLDER    unpack into FOLDER and exit
--remove       remove the game; saved games are kept
Other options, such as --fullscreen, are passed to the game.
END
    exit 0 ;;
  *) break ;;
  esac
  shift
done
if [ -z "$to" ]; then
  case $data in
  /.local/share | [!/]*) die "no folder to unpack into: set HOME, or use --to FOLDER" ;;
  esac
  to=$data/shoal/games
fi
place=$to/$folder
entry=$data/applications/$id.desktop

if [ -n "$remove" ]; then
  rm -rf "$place" || die "cannot remove $place"
  [ ! -e "$entry" ] || ! grep -qF "$place/" "$entry" || rm -f "$entry"
  echo "removed $title; saved games are kept in $data/shoal/saves"
  exit 0
fi

[ "$(uname -m)" = "$machine" ] ||
  die "this file is for $machine processors, and this machine is $(uname -m): download the file for $(uname -m)"

unpack() {
  self=$0
  [ "$(tail -n +"$lines" "$self" | sha256sum | cut -c 1-64)" = "$sum" ] ||
    die "this file is damaged or incomplete: download it again"
  mkdir -p "$to" 2>/dev/null && [ -w "$to" ] || die "cannot write to $to: use --to FOLDER"
  new=$to/.$folder.$$
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT TERM
  mkdir "$new"
  # tar would print a line for each file that does not fit
  tail -n +"$lines" "$self" | gzip -dc | tar -x --no-same-owner -C "$new" -f - 2>/dev/null ||
    die "cannot unpack into $to: the disk may be full"
  rm -rf "$place" # may be left over from an interrupted unpacking
  mv "$new/$folder" "$place"
  rm -rf "$new"
  trap - EXIT
}

# Adds the game to the desktop's menu.
add_to_menu() {
  mkdir -p "$data/applications" &&
    sed -e "s|^Exec=.*|Exec=\"$place/$program\"|" -e "s|^Icon=$id\$|Icon=$place/$id.png|" "$place/$id.desktop" >"$entry"
}

[ -x "$place/$program" ] && [ -e "$place/$program.data" ] || {
  unpack
  [ -n "$only" ] || add_to_menu 2>/dev/null || echo "$title: cannot write a menu entry to $data/applications" >&2
}
if [ -n "$only" ]; then
  echo "unpacked $title into $place"
  exit 0
fi
exec "$place/$program" "$@"
