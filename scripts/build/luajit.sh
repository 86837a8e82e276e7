#!/bin/sh
# luajit.sh [--cross MACHINE | --target SYSTEM | --source]: builds LuaJIT with the changes of
# engine/script/luajit/changes, and prints its folder in the user's cache (cache.sh), which contains include/,
# lib/libluajit-5.1.a (position-independent code) and COPYRIGHT. It is built once for each version, set of changes,
# compiler and target. --source: only prints the archive of the source.
#
# The source is one pinned version, the one that Debian 12 packages; cache.sh finds or downloads it and verifies its
# checksum. --cross: builds for another processor, such as aarch64-linux-gnu; CC is its compiler. --target windows:
# builds for Windows with the compiler of target.sh, and also applies the changes of engine/script/luajit/windows.
set -eu

SOURCE='luajit_2.1.0~beta3+git20220320+dfsg.orig.tar.gz'
SHA256=b4d18d2c5e663682bc7f473797e3ceaca8193e112824a5bdfa3e468d98618678
# Results must be the same on every processor: no fused multiply-add. Compiled code checks for hooks, so that a hook
# stops every script (watchdog/watchdog.h).
FLAGS="-fPIC -ffp-contract=off -DLUAJIT_ENABLE_CHECKHOOK"

root=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "shoal: $*" >&2; }
die() { say "LuaJIT: $*"; exit 2; }
. "$root/scripts/build/cache.sh"

cross= target=linux only_source=
while [ $# -gt 0 ]; do
  case $1 in
    --cross) cross=$2; shift ;;
    --target) target=$2; shift ;;
    --source) only_source=yes ;;
    *) die "luajit.sh: unknown option '$1'" ;;
  esac
  shift
done
cc=${CC:-cc}
changes=$(echo "$root"/engine/script/luajit/changes/*.patch)
# Identifies the source and how it behaves, and thus the format of bytecode, whatever the compiler and the target.
# shellcheck disable=SC2086
id=$({ echo "$SHA256 $FLAGS" && cat $changes; } | cksum | tr ' ' -)
if [ "$target" != linux ]; then
  assignments=$(sh "$root/scripts/build/target.sh" "$target") || exit
  eval "$assignments"
  FLAGS="${FLAGS#-fPIC } $code_flags"
  changes="$changes $(echo "$root/engine/script/luajit/$target"/*.patch)" # these patches do not change the behaviour, so $id stays the same
  make() { command make "$@" TARGET_SYS=Windows; } # overrides the TARGET_SYS of build
fi
inputs() { # prints everything that the result depends on
  echo "$id $cc $cross"
  # shellcheck disable=SC2086
  [ "$target" = linux ] || { echo "$target $FLAGS" && cat $changes; }
  $cc --version 2>/dev/null
  uname -sm
  sed -n '/^build() {/,/^}/p' "$0"
}
folder=$(inputs | cache_folder luajit)
if [ -z "$only_source" ] && cache_has "$folder" COPYRIGHT; then
  echo "$folder"
  exit
fi

for program in make patch tar "${cc%% *}"; do
  command -v "$program" >/dev/null 2>&1 || die "cannot build it: $program not found: run ./shoal deps"
done
cache_begin luajit
if [ -z "$only_source" ] && cache_has "$folder" COPYRIGHT; then # another process has built it meanwhile
  echo "$folder"
  exit
fi

cache_source LuaJIT "$SOURCE" "$SHA256" libluajit-5.1-dev
if [ -n "$only_source" ]; then
  echo "$archive"
  exit
fi

say "building LuaJIT (once, about half a minute)"
build() {
  source=$work/source
  mkdir "$source" "$work/out" "$work/out/include" "$work/out/lib" && tar -xzf "$archive" -C "$source" || return 1
  for change in $changes; do
    patch -d "$source" -p1 -s --no-backup-if-mismatch <"$change" || { echo "cannot apply ${change##*/}"; return 1; }
  done
  set -- BUILDMODE=static CFLAGS= LDFLAGS= CC="$cc" TARGET_CFLAGS="$FLAGS -ffile-prefix-map=$source=luajit"
  # LuaJIT's makefile prefixes CC with CROSS; HOST_CC compiles generators that run on this machine.
  [ -z "$cross" ] || set -- "$@" CC="${cc#"$cross-"}" CROSS="$cross-" HOST_CC=gcc TARGET_SYS=Linux
  make -C "$source/src" -j"$jobs" "$@" libluajit.a &&
    (cd "$source/src" && cp lua.h lualib.h lauxlib.h luaconf.h luajit.h "$work/out/include/") &&
    echo "#define LUAJIT_BUILD \"$id\" /* identifies version, changes and flags */" >>"$work/out/include/luajit.h" &&
    cp "$source/src/libluajit.a" "$work/out/lib/libluajit-5.1.a" && cp "$source/COPYRIGHT" "$work/out/"
}
cache_run 'build it' build
cache_store "$work/out" "$folder"
echo "$folder"
