#!/bin/sh
# Header of the self-extracting file that ./shoal package makes. package.sh replaces the @NAMES@ and appends a tar.gz.
# It needs only sh, tar, gzip and sha256sum.
set -eu

title=@TITLE@
folder=@FOLDER@
program=@PROGRAM@
id=@ID@
machine=@MACHINE@
lines=@LINES@
sum=@SUM@

# Started from a file manager there is no terminal: shows a dialog.
refuse() {
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
  --to) [ $# -ge 2 ] || refuse "--to needs a folder"; to=$2 only=yes; shift ;;
  --remove) remove=yes ;;
  --help | -h)
    cat <<END
$title: without options, unpacks the game into $data/shoal/games, adds it to the desktop's menu
and starts it. Later it only starts it.
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
  /.local/share | [!/]*) refuse "no folder to unpack to: set HOME, or use --to FOLDER" ;;
  esac
  to=$data/shoal/games
fi
place=$to/$folder
entry=$data/applications/$id.desktop

if [ -n "$remove" ]; then
  rm -rf "$place" || refuse "cannot remove $place"
  [ ! -e "$entry" ] || ! grep -qF "$place/" "$entry" || rm -f "$entry"
  echo "removed $title; saved games are kept in $data/shoal/saves"
  exit 0
fi

[ "$(uname -m)" = "$machine" ] || refuse "this file is for $machine, but this machine is $(uname -m): download the file for $(uname -m)"

unpack() {
  self=$0
  [ "$(tail -n +"$lines" "$self" | sha256sum | cut -c 1-64)" = "$sum" ] ||
    refuse "this file is damaged or incomplete: please download it again"
  mkdir -p "$to" 2>/dev/null && [ -w "$to" ] || refuse "cannot write to $to: use --to FOLDER"
  new=$to/.$folder.$$
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT TERM
  mkdir "$new"
  tail -n +"$lines" "$self" | gzip -dc | tar -x --no-same-owner -C "$new" -f - ||
    refuse "unpacking into $to failed: is the disk full?"
  rm -rf "$place" # leftovers of an incomplete unpacking
  mv "$new/$folder" "$place"
  rm -rf "$new"
  trap - EXIT
}

# Adds the game to the desktop's menu.
be_in_menu() {
  mkdir -p "$data/applications" &&
    sed -e "s|^Exec=.*|Exec=\"$place/$program\"|" -e "s|^Icon=$id\$|Icon=$place/$id.png|" "$place/$id.desktop" >"$entry"
}

[ -x "$place/$program" ] && [ -e "$place/$program.data" ] || {
  unpack
  [ -n "$only" ] || be_in_menu 2>/dev/null || echo "$title: could not be added to the menu" >&2
}
if [ -n "$only" ]; then
  echo "unpacked $title into $place"
  exit 0
fi
exec "$place/$program" "$@"
