# Shared by baseline.sh and arm64.sh, which build packages with the libraries of Debian 11: messages, build steps that
# write their output to $log, and the packages that Shoal needs.

say() { echo "shoal: $*" >&2; }
refuse() { say "package: $*"; exit 2; }
step() { # step WORDS COMMAND…
  words=$1
  shift
  say "$words"
  "$@" >>"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; refuse "$words failed, see $log"; }
}

# Libraries that Shoal links, and libraries that SDL opens if they are installed.
packages=zlib1g-dev
for library in freetype harfbuzz fribidi epoxy xxhash zstd jansson minizip sleef wslay enet asound2 pulse x11 xext xcursor xi \
  xrandr xss xfixes xkbcommon wayland egl gl gles drm gbm dbus-1 udev; do
  packages="$packages lib$library-dev"
done
