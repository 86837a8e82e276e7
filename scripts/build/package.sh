#!/bin/sh
# package.sh GAME [options]: packages a game as a folder and as archives that run on machines without Shoal or a
# compiler. Started by ./shoal package, which builds the program first. The folder contains:
#   GAME          the stripped program, which looks for libraries in lib/ first
#   GAME.data     the engine's scripts, assets and the game in one checksummed archive (engine/core/base/archive.h)
#   lib/          the libraries, except the system's: libc, libstdc++, display, sound and GPU driver libraries
#   plugins/      plugins that the game uses
#   licences/     licences of the program and the libraries
#   README.txt, and ID.desktop, ID.metainfo.xml, ID.png for menus and stores
# Also writes an archive, a self-extracting file (unpack.sh) and a Flatpak manifest next to the folder. Packages for
# Windows contain different files (package_windows.sh).
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
release=$root/${SHOAL_BUILD:-build}/release

say() { echo "shoal: $*" >&2; }
die() { say "package: $*"; exit 2; }

usage() {
  cat <<'END'
./shoal package GAME [options]     package a game for players, as a folder and archives; GAME is a name or a folder
  --to DIR             output folder (default: build/packages)
  --for SYSTEM         linux (default: for this machine's processor type), linux-arm64 (cross-compiled; requires
                       glibc 2.31 or later) or windows (a .zip; cross-compiled with mingw-w64)
  --program FILE       with --for windows: shoal.exe of the same version that was built on a different machine, with its
                       folder licences/ (default: build it)
  --baseline           build in a Debian 11 chroot, so that the package runs with glibc 2.31; requires root
  --version V          version of the game (default: the version in game.lua, or 1.0)
  --icon FILE          square PNG, 64 to 512 pixels wide (default: the icon in game.lua)
  --app-id ID          application id for stores, such as org.you.game (default: local.shoal.GAME)
  --trust              allow `native = true` in the game
  --system-libraries   use the SDL2 of the player's system instead of building one for the package
END
}

game= to=$root/build/packages version= icon= trust= own_sdl=yes baseline= cross= windows= machine=$(uname -m) app_id=
program=
value() { [ $# -ge 2 ] || die "$1 requires a value"; }
while [ $# -gt 0 ]; do
  case $1 in
  --to) value "$@"; to=$2; shift ;;
  --for)
    value "$@"
    case $2 in
    linux | linux-"$(uname -m)") ;;
    linux-arm64 | linux-aarch64) [ "$machine" = aarch64 ] || cross=yes machine=aarch64 ;;
    windows) windows=yes ;;
    *) die "--for must be linux, linux-arm64 or windows, got “$2”$("$release/bin/shoal" similar "$2" linux linux-arm64 \
      windows)" ;;
    esac
    shift ;;
  --baseline) baseline=yes ;;
  --app-id) value "$@"; app_id=$2; shift ;;
  --program) value "$@"; program=$2; shift ;;
  --version) value "$@"; version=$2; [ -n "$version" ] || die "--version is empty: use --version 1.0"; shift ;;
  --icon) value "$@"; icon=$2; shift ;;
  --trust) trust=--trust ;;
  --system-libraries) own_sdl= ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option “$1” (see ./shoal package --help)$("$release/bin/shoal" similar "$1" --to --for --program --baseline \
    --version --icon --app-id --trust --system-libraries)" ;;
  *) [ -z "$game" ] || die "expected one game, got “$game” and “$1”"; game=$1 ;;
  esac
  shift
done
[ -n "$game" ] || { usage >&2; exit 2; }
case $version in
*[!0-9A-Za-z.+~-]*) die "invalid --version “$version”: use digits, letters, . + ~ and -" ;;
esac
case $app_id in
'') ;;
*[!0-9A-Za-z._]* | .* | *. | *..*) die "invalid --app-id “$app_id”: use words of letters, digits and _, separated by dots" ;;
*.*.*) ;;
*) die "invalid --app-id “$app_id”: use at least three words, such as org.you.game" ;;
esac

# png_size FILE: prints "WIDTH HEIGHT" from the header of a PNG.
png_size() {
  od -An -tu1 -j16 -N8 "$1" | awk '{ printf "%d %d", ($1*256+$2)*65536+$3*256+$4, ($5*256+$6)*65536+$7*256+$8 }'
}

# Menus and stores accept only square PNGs of these sizes.
if [ -n "$icon" ]; then
  [ -f "$icon" ] || die "--icon: file $icon not found"
  [ "$(od -An -tx1 -N8 "$icon" | tr -d ' ')" = 89504e470d0a1a0a ] || die "--icon: $icon must be a PNG image"
  # shellcheck disable=SC2046
  set -- $(png_size "$icon")
  width=$1 height=$2
  [ "$width" = "$height" ] && [ "$width" -ge 64 ] && [ "$width" -le 512 ] ||
    die "--icon: $icon must be square and 64 to 512 pixels wide, got $width × $height"
fi
[ -z "$baseline$cross" ] || [ -n "$own_sdl" ] ||
  die "--system-libraries cannot be used with --baseline or --for linux-arm64"
[ -z "$windows" ] || { [ -z "$baseline$app_id" ] && [ -n "$own_sdl" ]; } ||
  die "--baseline, --app-id and --system-libraries cannot be used with --for windows"
[ -z "$program" ] || [ -n "$windows" ] || die "--program requires --for windows"

# ---- inputs

# remove_stale PATH…: removes files and folders NAME.PID or NAME.PID.tmp of processes that were killed.
remove_stale() {
  for stale; do
    process=${stale%.tmp}
    process=${process##*.}
    case $process in *[!0-9]*) continue ;; esac
    kill -0 "$process" 2>/dev/null || rm -rf "$stale"
  done
}
mkdir -p "$root/build/package"
remove_stale "$root/build/package"/work.*
work=$root/build/package/work.$$
trap 'rm -rf "$work"' EXIT
mkdir "$work"
trap 'exit 130' INT TERM

# pack [OPTIONS]: checks the game and writes its archive; reports errors before any slow step.
pack() {
  # shellcheck disable=SC2086
  "$release/bin/shoal" pack "$game" "$work/data" ${version:+--version "$version"} $trust "$@" >"$work/facts" || exit 2
}
fact() { sed -n "s/^$1 //p" "$work/facts"; }
pack
folder=$(readlink -f "$(fact folder)")

# Rejects games whose files contain paths to existing files outside of the game's folder, because players would not have
# these files. Files that are not packed, such as editor settings from ./shoal new, are not checked.
(cd "$folder" && find . -name '.?*' -prune -o -path ./tests -prune -o -type f \( -name '*.lua' -o -name '*.json' \) \
  -exec grep -HnoE "[\"'](\.\./|/)[^\"']+[\"']" {} +) | LC_ALL=C sort >"$work/texts"
while IFS= read -r text; do
  at=${text#./}
  path=${at#*:*:?}
  path=${path%?}
  at=${at%"${at#*:*:}"}
  case $path in
  /*) set -- "$path" ;;
  *) set -- "$folder/assets/$path" "$folder/$path" "$folder/$(dirname "${at%%:*}")/$path" ;;
  esac
  for file in "$@"; do
    [ -f "$file" ] || continue
    case $(readlink -f "$file") in
    "$folder"/*) ;;
    *) die "$at “$path” is outside the game's folder and would not be packaged: copy the file to $folder/assets" ;;
    esac
  done
done <"$work/texts"

title=$(fact title)
version=$(fact version)
id=$(fact id)
name=$(echo "$id" | tr 'A-Z ' 'a-z_')
[ -n "$app_id" ] || app_id=local.shoal.$(echo "$name" | tr -c '0-9a-z_\n' _)

# Copies the licences of add-ons that are not part of Shoal to $into/licences: the licence file or, if it is missing, the
# licence in addon.lua.
copy_addon_licences() {
  sed -n '/^addon /{N;s/^addon //;s/\naddon_folder /\n/;p;}' "$work/facts" >"$work/addons"
  while read -r addon addon_version licence && read -r place; do
    case $(readlink -f "$place") in "$root"/scripts/addons/*) continue ;; esac
    text=$into/licences/addon-$addon.txt
    find -L "$place" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) -print |
      LC_ALL=C sort | while read -r file; do cat "$file"; done >"$text"
    if [ -s "$text" ]; then
      continue
    elif [ "$licence" != - ]; then
      echo "$addon $addon_version: $licence" >"$text"
    else
      rm "$text"
      say "package: no licence found for the add-on $addon: add a file LICENSE to $place before you distribute the package"
    fi
  done <"$work/addons"
}
size() { du -sh "$1" | cut -f 1; }
[ -n "$icon" ] || icon=$(fact icon)
if [ -n "$windows" ]; then
  . "$root/scripts/build/package_windows.sh"
  exit
fi

# Selects the program to pack: this tree's build, or the build for another system.
system= program=$release/bin/shoal plugins=
own=$root/${SHOAL_BUILD:-build}/package/libraries # folder of libraries built for packages
if [ -n "$cross" ]; then
  made=$root/build/package/$machine
  sh "$root/scripts/build/arm64.sh" "$made" || exit 2
  system=$made/system
  program=$made/stripped/shoal
  plugins=$made/stripped/plugins
  own=$system/usr/local
  pack --native off # native code is compiled for this machine's processor
elif [ -n "$baseline" ]; then
  sh "$root/scripts/build/baseline.sh" "$root/build/package/$machine" || exit 2
  system=$root/build/package/$machine/system
  program=$system/shoal/build/stripped/shoal
  plugins=$system/shoal/build/stripped/plugins
  code=$system/shoal/build/stripped/shoal.code # bytecode of that system's LuaJIT
  own=$system/usr/local
  pack --code "$code"
elif [ -n "$own_sdl" ]; then
  sh "$root/scripts/build/libraries.sh" "$own"
fi

into=$work/$name-$version-linux-$machine
mkdir -p "$into/lib" "$into/licences"
# Binaries for another system are already stripped. Removes the build id too, which depends on the path of the build
# folder.
strip_here() { [ -n "$system" ] || strip -R .note.gnu.build-id "$@"; }
cp "$program" "$into/$name"
strip_here "$into/$name"
mv "$work/data" "$into/$name.data"
chmod 755 "$into/$name"
chmod 644 "$into/$name.data"
fact plugin >"$work/plugins"
while read -r plugin; do
  mkdir -p "$into/plugins"
  file=$(basename "$plugin")
  case $plugin in "$release"/plugins/*) [ -z "$plugins" ] || plugin=$plugins/$file ;; esac
  [ -e "$plugin" ] || die "cannot build plugin ${file%.so} for $machine: a library that it uses is missing there"
  case $(readelf -hW "$plugin" | sed -n 's/^ *Machine: *//p') in
  *X86-64*) of=x86_64 ;;
  *AArch64*) of=aarch64 ;;
  *) of=another ;;
  esac
  [ "$of" = "$machine" ] || die "plugin $plugin was built for another processor: build it for $machine"
  cp "$plugin" "$into/plugins/"
  strip_here --strip-unneeded "$into/plugins/$file"
done <"$work/plugins"

# ---- libraries

# Libraries of the player's system that must not be packaged, because its display and sound drivers need their own
# versions, and a process cannot load two.
of_the_system='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libutil|libstdc\+\+|libgcc_s|libX.*|libxcb.*|libxkbcommon.*|libwayland-.*|libdecor.*|libdrm.*|libgbm|libGL.*|libEGL.*|libasound|libpulse.*)[.-]'
[ -n "$own_sdl" ] || of_the_system="$of_the_system|^libSDL2"

triplet=$machine-linux-gnu
# find_library NAME: prints the path of a library.
find_library() {
  if [ -n "$system" ]; then
    for place in "$own/lib" "$system/usr/lib/$triplet" "$system/lib/$triplet"; do
      [ ! -e "$place/$1" ] || { echo "$place/$1"; break; }
    done
  elif [ -n "$own_sdl" ] && [ -e "$own/lib/$1" ]; then
    echo "$own/lib/$1"
  else
    LD_LIBRARY_PATH=$own/lib LC_ALL=C ldd "$into/$name" "$into"/plugins/*.so 2>/dev/null |
      awk -v wanted="$1" '$1 == wanted && $2 == "=>" { print $3; exit }'
  fi
}

# libraries_of FILE…: prints the dependencies that the files need and the package lacks, as "NAME PATH" lines. System
# libraries are excluded.
libraries_of() {
  {
    echo "$loaded"
    for file in "$@"; do
      LC_ALL=C readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
    done
  } | sort -u >"$work/wanted"
  while read -r wanted; do
    echo "$wanted" | grep -Eq "$of_the_system" && continue
    [ ! -e "$into/lib/$wanted" ] || continue
    path=$(find_library "$wanted")
    [ -e "$path" ] || die "library $wanted not found: run ./shoal deps"
    echo "$wanted $path"
  done <"$work/wanted"
}

# owner FILE: prints the Debian package that contains a file.
owner() { grep -lxF -- "$1" "$system"/var/lib/dpkg/info/*.list 2>/dev/null | sed -n '1s|.*/\([^/:]*\)[^/]*\.list$|\1|p' | grep .; }

# licence FILE: copies the licence of a library into the package.
licence() {
  real=$(readlink -f "$1")
  case $real in
  "$own"/*)
    case $real in
    *harfbuzz*) licensed=harfbuzz ;;
    *sqlite*) licensed=sqlite3 ;;
    *) licensed=libsdl2 ;;
    esac
    cp "$own/$licensed.copyright" "$into/licences/$licensed.txt"
    return ;;
  esac
  # With a merged /usr, a package may list its file under /lib or /usr/lib.
  known=${real#"$system"}
  package=$(owner "$known" || owner "${known#/usr}" || true)
  if [ -n "$package" ] && [ -e "$system/usr/share/doc/$package/copyright" ]; then
    cp -L "$system/usr/share/doc/$package/copyright" "$into/licences/$package.txt"
  else
    say "package: no licence found for $real: add it to licences/ before you distribute the package"
  fi
}

# Not listed as a dependency, because it is opened at run time (engine/core/base/library_names_linux.c).
loaded=libSDL2-2.0.so.0
set -- "$into/$name"
for plugin in "$into"/plugins/*.so; do [ ! -e "$plugin" ] || set -- "$@" "$plugin"; done
while :; do
  libraries_of "$@" >"$work/found"
  [ -s "$work/found" ] || break
  set --
  while read -r wanted path; do
    cp -L "$path" "$into/lib/$wanted"
    chmod 644 "$into/lib/$wanted"
    strip_here --strip-unneeded "$into/lib/$wanted"
    licence "$path"
    set -- "$@" "$into/lib/$wanted"
  done <"$work/found"
done

# Licences of code linked into the program and its plugins.
cp "$root/LICENSE" "$into/licences/shoal.txt"
cp "$(sh "$root/scripts/build/luajit.sh")/COPYRIGHT" "$into/licences/luajit.txt"
cp "$(sh "$root/scripts/build/pinned_library.sh" sdl_mixer)/COPYRIGHT" "$into/licences/sdl2_mixer.txt"
for pair in physics:chipmunk box2d:box2d; do
  library=${pair#*:}
  [ ! -e "$into/plugins/${pair%:*}.so" ] ||
    cp "$(sh "$root/scripts/build/pinned_library.sh" "$library")/COPYRIGHT" "$into/licences/$library.txt"
done
for package in libcglm-dev libstb-dev; do
  file=/usr/share/doc/$package/copyright
  [ -n "$system" ] || [ ! -e "$file" ] || cp -L "$file" "$into/licences/$package.txt"
done
[ -z "$system" ] || for package in libcglm-dev libstb-dev; do cp "$own/$package.copyright" "$into/licences/$package.txt"; done

copy_addon_licences

# ---- desktop files and README

# Newest glibc version required by any file of the package.
glibc=$(LC_ALL=C readelf -VW "$into/$name" "$into"/lib/* "$into"/plugins/*.so 2>/dev/null |
  sed -n 's/.*Name: GLIBC_\([0-9][0-9.]*\) .*/\1/p' | sort -Vu | tail -n 1)
glibc_is_at_most() { [ "$(printf '%s\n' "$glibc" "$1" | sort -V | tail -n 1)" = "$1" ]; }
systems="“ldd --version” prints your version"
! glibc_is_at_most 2.36 || systems="part of Debian 12, Ubuntu 24.04 and later"
! glibc_is_at_most 2.35 || systems="part of Debian 12, Ubuntu 22.04 and later"
! glibc_is_at_most 2.31 || systems="part of Debian 11, Ubuntu 20.04 and later"

menu_icon=applications-games # part of every icon theme
if [ -f "$icon" ]; then
  cp "$icon" "$into/$app_id.png"
  menu_icon=$app_id
fi
escaped=$(echo "$title" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')

# Release date: the date of the game's last commit, or 1980 if the game is not in git, so that equal inputs give equal
# bytes.
changed=${SOURCE_DATE_EPOCH:-$(git -C "$folder" log -1 --format=%ct -- . 2>/dev/null || true)}
released=$(date -u -d "@${changed:-315532800}" +%Y-%m-%d)

cat >"$into/$app_id.desktop" <<END
[Desktop Entry]
Type=Application
Name=$title
Exec=$name
Icon=$menu_icon
Categories=Game;
Terminal=false
END
cat >"$into/$app_id.metainfo.xml" <<END
<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>$app_id</id>
  <name>$escaped</name>
  <summary>A game</summary>
  <description><p>$escaped, a game made with Shoal.</p></description>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>LicenseRef-proprietary</project_license>
  <launchable type="desktop-id">$app_id.desktop</launchable>
  <content_rating type="oars-1.1"/>
  <categories><category>Game</category></categories>
  <requires><display_length compare="ge">640</display_length></requires>
  <supports><control>keyboard</control><control>gamepad</control></supports>
  <releases><release version="$version" date="$released"/></releases>
</component>
END
cat >"$into/README.txt" <<END
$title $version

To play, start "$name". The game requires Linux on $machine with glibc $glibc or later
($systems) and OpenGL 3.3. It does not need to be installed. Press F11 to toggle
fullscreen.

Saved games are in ~/.local/share/shoal/saves/$id, or in saved/ next to the program if you start it with
"$name --portable". Crash reports are in ~/.local/share/shoal/reports/$id. "$name --help" lists more options.
The licences of everything in this package are in licences/.
END

# ---- the folder, the archives and the manifest

mkdir -p "$to"
to=$(cd "$to" && pwd)
package=$(basename "$into")
place=$to/$package
remove_stale "$to/$name"-*-linux-*.tmp
find "$into" -exec touch -h -d @315532800 {} + # 1980, the earliest date in zip files: equal inputs give equal bytes
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@315532800 --mode=go=u-w -C "$work" -cf "$work/tar" "$package"
zstd -q -12 -T1 -f -o "$place.tar.zst.$$.tmp" "$work/tar"
mv "$place.tar.zst.$$.tmp" "$place.tar.zst"

# The self-extracting file: unpack.sh with its placeholders filled in, followed by a tar.gz.
gzip -6n <"$work/tar" >"$work/tar.gz"
quoted() { printf '%s' "$1" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/"; } # quotes text for the shell
fill() { # fill PLACEHOLDER VALUE
  value=$(quoted "$2") awk -v word="@$1@" '{ at = index($0, word) }
    at { $0 = substr($0, 1, at - 1) ENVIRON["value"] substr($0, at + length(word)) } { print }' "$work/run" >"$work/filled"
  mv "$work/filled" "$work/run"
}
cp "$root/scripts/build/unpack.sh" "$work/run"
fill TITLE "$title"
fill FOLDER "$package"
fill PROGRAM "$name"
fill ID "$app_id"
fill MACHINE "$machine"
fill LINES "$(($(wc -l <"$work/run") + 1))"
fill SUM "$(sha256sum "$work/tar.gz" | cut -c 1-64)"
cat "$work/run" "$work/tar.gz" >"$place.run.$$.tmp"
chmod 755 "$place.run.$$.tmp"
mv "$place.run.$$.tmp" "$place.run"

# Manifest for flatpak-builder, which packs the folder next to it. In a Flatpak, saves are in the application's own data
# folder.
icon_step=
if [ -e "$into/$app_id.png" ]; then
  size=$(png_size "$into/$app_id.png" | tr ' ' x)
  icon_step="\"install -Dm644 $app_id.png /app/share/icons/hicolor/$size/apps/$app_id.png\","
fi
cat >"$place.flatpak.json" <<END
{
  "id": "$app_id",
  "runtime": "org.freedesktop.Platform",
  "runtime-version": "24.08",
  "sdk": "org.freedesktop.Sdk",
  "command": "/app/game/$name",
  "finish-args": ["--share=ipc", "--socket=wayland", "--socket=fallback-x11", "--socket=pulseaudio", "--device=all"],
  "modules": [
    {
      "name": "$name",
      "buildsystem": "simple",
      "build-options": { "strip": false, "no-debuginfo": true },
      "build-commands": [
        "install -Dm644 $app_id.desktop /app/share/applications/$app_id.desktop",
        "sed -i 's|^Exec=.*|Exec=/app/game/$name|' /app/share/applications/$app_id.desktop",
        "install -Dm644 $app_id.metainfo.xml /app/share/metainfo/$app_id.metainfo.xml",
        ${icon_step:+$icon_step
        }"mkdir -p /app/game && cp -r . /app/game"
      ],
      "sources": [{ "type": "dir", "path": "$package" }]
    }
  ]
}
END

cp -a "$into" "$place.$$.tmp"
rm -rf "$place"
mv "$place.$$.tmp" "$place"
say "$title $version: $place ($(size "$place")), with .tar.zst ($(size "$place.tar.zst")), .run ($(size "$place.run")) and" \
  ".flatpak.json; requires glibc $glibc"
