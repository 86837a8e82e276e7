#!/bin/sh
# package.sh GAME [options]: a folder and an archive of a game, for machines without Shoal, a compiler or packages.
# Started by ./shoal package, which builds first. What lies in the folder:
#   GAME          the program, stripped, which looks for libraries in lib/ first
#   GAME.data     scripts, assets and the game as one archive with a checksum (engine/base/archive.h)
#   lib/          every library that is not the system's own: libc, libstdc++, displays, sound, the driver of the GPU
#   plugins/      those that the game uses
#   licences/     of everything in it
#   README.txt, GAME.desktop, GAME.metainfo.xml, GAME.png
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
release=$root/${SHOAL_BUILD:-build}/release

say() { echo "shoal: $*" >&2; }
refuse() { say "package: $*"; exit 2; }

usage() {
  cat <<'END'
./shoal package GAME [options]     a folder and an archive that run on a machine without Shoal; GAME is a name or a folder
  --to DIR             where they go (default: build/packages)
  --for linux          the system that it is for (default, and the only one that can be made here so far)
  --version V          of the game (default: 1.0)
  --icon FILE          a PNG (default: the icon of game.lua)
  --trust              grants the game `native = true`
  --system-libraries   takes SDL2 from the player's system instead of building it for the package
END
}

game= to=$root/build/packages version=1.0 icon= trust= own_sdl=yes
value() { [ $# -ge 2 ] || refuse "$1 needs a value"; }
while [ $# -gt 0 ]; do
  case $1 in
  --to) value "$@"; to=$2; shift ;;
  --for) value "$@"; [ "$2" = linux ] || refuse "--for $2: only linux can be made here so far"; shift ;;
  --version) value "$@"; version=$2; shift ;;
  --icon) value "$@"; icon=$2; shift ;;
  --trust) trust=--trust ;;
  --system-libraries) own_sdl= ;;
  -h | --help) usage; exit 0 ;;
  -*) refuse "unknown option “$1”$("$release/bin/shoal" similar "$1" --to --for --version --icon --trust --system-libraries)" ;;
  *) [ -z "$game" ] || refuse "one word too many: “$1”"; game=$1 ;;
  esac
  shift
done
[ -n "$game" ] || { usage >&2; exit 2; }
case $version in
'' | *[!0-9A-Za-z.+~-]*) refuse "--version “$version”: digits, letters, dots, + ~ and - make a version" ;;
esac
[ -z "$icon" ] || [ -f "$icon" ] || refuse "--icon: there is no file $icon"

# ---- what it is made from

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# shellcheck disable=SC2086
"$release/bin/shoal" pack "$game" "$work/data" --version "$version" $trust >"$work/facts" || exit 2
fact() { sed -n "s/^$1 //p" "$work/facts"; }
title=$(fact title)
id=$(fact id)
name=$(echo "$id" | tr 'A-Z ' 'a-z_')
machine=$(uname -m)

into=$work/$name-$version-linux-$machine
mkdir -p "$into/lib" "$into/licences"
cp "$release/bin/shoal" "$into/$name"
strip "$into/$name"
mv "$work/data" "$into/$name.data"
chmod 755 "$into/$name"
chmod 644 "$into/$name.data"
fact plugin | while read -r plugin; do
  mkdir -p "$into/plugins"
  cp "$plugin" "$into/plugins/"
  strip --strip-unneeded "$into/plugins/$(basename "$plugin")"
done

# ---- libraries

# What a desktop has, and what must be its own: two of them in a process, or another one than the driver's, is no good.
of_the_system='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libutil|libstdc\+\+|libgcc_s|libX.*|libxcb.*|libxkbcommon.*|libwayland-.*|libdecor.*|libdrm.*|libgbm|libGL.*|libEGL.*|libasound|libpulse.*)[.-]'
[ -n "$own_sdl" ] || of_the_system="$of_the_system|^libSDL2"

own=$work/none
if [ -n "$own_sdl" ]; then
  own=$root/${SHOAL_BUILD:-build}/package/libraries
  sh "$root/engine/start/libraries.sh" "$own"
fi

# libraries_of FILE…: what each needs, and what these need, as "NAME PATH". What belongs to the system is not asked.
libraries_of() {
  for file in "$@"; do
    LC_ALL=C objdump -p "$file" | sed -n 's/^ *NEEDED *//p'
  done | sort -u >"$work/wanted"
  while read -r wanted; do
    echo "$wanted" | grep -Eq "$of_the_system" && continue
    [ ! -e "$into/lib/$wanted" ] || continue
    path=$own/lib/$wanted
    [ -e "$path" ] ||
      path=$(LD_LIBRARY_PATH=$own/lib LC_ALL=C ldd "$into/$name" "$into"/plugins/*.so 2>/dev/null |
        awk -v wanted="$wanted" '$1 == wanted && $2 == "=>" { print $3; exit }')
    [ -e "$path" ] || refuse "the library $wanted is not there; ./shoal deps installs what building needs"
    echo "$wanted $path"
  done <"$work/wanted"
}

licence() { # licence FILE-OF-A-LIBRARY
  real=$(readlink -f "$1")
  case $real in
  "$own"/*)
    case $real in *mixer*) licensed=libsdl2-mixer ;; *) licensed=libsdl2 ;; esac
    cp "$own/$licensed.copyright" "$into/licences/$licensed.txt"
    return ;;
  esac
  # Since /usr took in /lib, packages may name either.
  package=$(dpkg-query -S "$real" 2>/dev/null || dpkg-query -S "${real#/usr}" 2>/dev/null || true)
  package=$(echo "$package" | head -n 1 | sed 's/[:,].*//')
  if [ -n "$package" ] && [ -e "/usr/share/doc/$package/copyright" ]; then
    cp -L "/usr/share/doc/$package/copyright" "$into/licences/$package.txt"
  else
    say "no licence was found for $real: put it into licences/ before you hand the package on"
  fi
}

set -- "$into/$name"
for plugin in "$into"/plugins/*.so; do [ ! -e "$plugin" ] || set -- "$@" "$plugin"; done
while :; do
  libraries_of "$@" >"$work/found"
  [ -s "$work/found" ] || break
  set --
  while read -r wanted path; do
    cp -L "$path" "$into/lib/$wanted"
    chmod 644 "$into/lib/$wanted"
    strip --strip-unneeded "$into/lib/$wanted"
    licence "$path"
    set -- "$@" "$into/lib/$wanted"
  done <"$work/found"
done

# Linked into the program itself.
cp "$root/LICENSE" "$into/licences/shoal.txt"
for package in libluajit-5.1-common libluajit-5.1-dev libcglm-dev libstb-dev; do
  file=/usr/share/doc/$package/copyright
  [ ! -e "$file" ] || cp -L "$file" "$into/licences/$package.txt"
done

# ---- for the desktop, and for people

# The least glibc that everything in it needs.
glibc=$(LC_ALL=C objdump -T "$into/$name" "$into"/lib/* "$into"/plugins/*.so 2>/dev/null |
  sed -n 's/.*GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -Vu | tail -n 1)

[ -n "$icon" ] || icon=$(fact icon)
[ ! -f "$icon" ] || cp "$icon" "$into/$name.png"
escaped=$(echo "$title" | sed 's/&/\&amp;/g; s/</\&lt;/g')
cat >"$into/$name.desktop" <<END
[Desktop Entry]
Type=Application
Name=$title
Exec=$name
Icon=$name
Categories=Game;
Terminal=false
END
cat >"$into/$name.metainfo.xml" <<END
<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>$name</id>
  <name>$escaped</name>
  <summary>A game</summary>
  <metadata_license>CC0-1.0</metadata_license>
  <launchable type="desktop-id">$name.desktop</launchable>
  <categories><category>Game</category></categories>
  <releases><release version="$version"/></releases>
</component>
END
cat >"$into/README.txt" <<END
$title $version

To play, start "$name". It needs Linux on $machine with glibc $glibc or later (Debian 12, Ubuntu 22.04 and
younger have it) and OpenGL 3.3; nothing has to be installed. F11 changes to the whole screen.

What you save lies in ~/.local/share/shoal/saves/$id; with "$name --portable" it lies in saved/, beside the
program. When something goes wrong, a report lies in ~/.local/share/shoal/reports/$id.
"$name --help" says more. The licences of everything in here are in licences/.
END

# ---- the folder and the archive

mkdir -p "$to"
to=$(cd "$to" && pwd)
place=$to/$(basename "$into")
find "$into" -exec touch -h -d @315532800 {} + # the first day that zip knows: the same input makes the same bytes
archive=$to/$(basename "$into").tar.zst
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@315532800 --mode=go=u-w -C "$work" -cf - "$(basename "$into")" |
  zstd -q -16 -T1 -f -o "$archive.tmp"
mv "$archive.tmp" "$archive"
rm -rf "$place"
cp -a "$into" "$place"
size=$(du -sh "$place" | cut -f 1)
say "$title $version: $place ($size), $archive ($(du -h "$archive" | cut -f 1)); it needs glibc $glibc"
