#!/bin/sh
# The head of the self-extracting file that ./shoal package makes: a tar.gz follows the last line, and the words between
# @ are filled in. It needs sh, tar, gzip and sha256sum, which every system has.
set -eu

title=@TITLE@
folder=@FOLDER@
program=@PROGRAM@
id=@ID@
machine=@MACHINE@
lines=@LINES@
sum=@SUM@

# Who started this by a click has no terminal.
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
$title: without a word, unpacks itself into $data/shoal/games, stands in the desktop's menu from
then on, and starts. Once it is there, it just starts.
  --to FOLDER    unpacks into FOLDER, and nothing else
  --remove       removes what was unpacked; what was saved is kept
Other words are handed on to the game, like --fullscreen.
END
    exit 0 ;;
  *) break ;;
  esac
  shift
done
if [ -z "$to" ]; then
  case $data in
  /.local/share | [!/]*) refuse "there is no place to unpack it to: HOME is not set; --to FOLDER names one" ;;
  esac
  to=$data/shoal/games
fi
place=$to/$folder
entry=$data/applications/$id.desktop

if [ -n "$remove" ]; then
  rm -rf "$place" || refuse "$place cannot be removed"
  [ ! -e "$entry" ] || ! grep -qF "$place/" "$entry" || rm -f "$entry"
  echo "$title is removed; what was saved is kept in $data/shoal/saves"
  exit 0
fi

[ "$(uname -m)" = "$machine" ] || refuse "this file is for $machine, and this machine is $(uname -m): get the one for it"

unpack() {
  self=$0
  [ "$(tail -n +"$lines" "$self" | sha256sum | cut -c 1-64)" = "$sum" ] ||
    refuse "this file is damaged or not whole: please get it anew"
  mkdir -p "$to" 2>/dev/null && [ -w "$to" ] || refuse "$to cannot be written to; --to FOLDER names another place"
  new=$to/.$folder.$$
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT TERM
  mkdir "$new"
  tail -n +"$lines" "$self" | gzip -dc | tar -x --no-same-owner -C "$new" -f - ||
    refuse "it could not be unpacked into $to: is the disk full?"
  rm -rf "$place" # of an unpacking that somebody took apart
  mv "$new/$folder" "$place"
  rm -rf "$new"
  trap - EXIT
}

# In the menu, with this place's path.
be_in_menu() {
  mkdir -p "$data/applications" &&
    sed -e "s|^Exec=.*|Exec=\"$place/$program\"|" -e "s|^Icon=$id\$|Icon=$place/$id.png|" "$place/$id.desktop" >"$entry"
}

[ -x "$place/$program" ] && [ -e "$place/$program.data" ] || {
  unpack
  [ -n "$only" ] || be_in_menu 2>/dev/null || echo "$title: it could not be put into the menu" >&2
}
if [ -n "$only" ]; then
  echo "$title is in $place"
  exit 0
fi
exec "$place/$program" "$@"
