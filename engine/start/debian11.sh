# What baseline.sh and arm64.sh share, which both build a package on the libraries of Debian 11: words for people, steps
# whose output goes into $log, and the packages that Shoal is built with.

say() { echo "shoal: $*" >&2; }
refuse() { say "package: $*"; exit 2; }
step() { # step WORDS COMMAND…
  words=$1
  shift
  say "$words"
  "$@" >>"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; refuse "$words: it failed, see $log"; }
}

# What Shoal links, and what SDL opens when it is there.
packages=zlib1g-dev
for library in freetype harfbuzz fribidi epoxy xxhash zstd jansson minizip sleef wslay enet asound2 pulse x11 xext xcursor xi \
  xrandr xss xfixes xkbcommon wayland egl gl gles drm gbm dbus-1 udev; do
  packages="$packages lib$library-dev"
done
