# Library of the suites in tests/window: starts an X server for the suite; sourced after lib.sh. The tests of such a
# suite depend on earlier tests, so all of them run if FILTER selects any; tests/run counts only the selected ones.
FILTER=$(printf '%s\n' "${FILTER-}" | sed "s/^$suite: //")
matches_filter "$suite: $(cat "$0")" || exit 0
FILTER=

screen_width=${screen_width:-1280} screen_height=${screen_height:-720} # a suite may set them before it sources this file

# -noreset: a server that resets when its last client disconnects also drops a client that is just connecting.
# -r: no key repeat, as a busy machine may delay the release of a key.
rm -f "$tmp/display"
Xvfb -displayfd 3 -screen 0 "${screen_width}x${screen_height}x24" -nolisten tcp -noreset -r 3>"$tmp/display" 2>/dev/null &
server=$!

cleanup() {
  [ -z "$program" ] || kill "$program" 2>/dev/null
  kill "$server" 2>/dev/null
}
trap cleanup EXIT
trap 'exit 1' INT TERM

start() { launch "$release" "$@" --log info; } # start ARGUMENTS…: launches shoal with these arguments
program_has_exited() { has_exited "$program"; }
expect_exit() { # expect_exit STATUS: checks $status, which stop_program has set
  [ "$status" = "$1" ] || fail "expected exit status $1, got $status: $(tail -n 3 "$log")"
}

has_window() { # has_window TITLE
  wait_for 20 window_named "$1" || fail "no window with the title $1: $(tail -n 3 "$log")"
}
window_named() { xdotool search --onlyvisible --name "$1" >"$tmp/window_id" 2>/dev/null; }
focus() {
  window=$(head -n 1 "$tmp/window_id" 2>/dev/null || echo 0)
  xdotool windowfocus "$window" 2>/dev/null
}

# Takes a picture without compression, which would take longer than everything else.
picture() {
  import -silent -window root -define png:compression-level=0 -define png:compression-filter=0 "$tmp/$1.png"
}
# colours PICTURE [CROP]: prints the number of distinct colours
colours() { convert "$tmp/$1.png" ${2:+-crop "$2"} +repage -format '%k' info:; }
# colourful PICTURE [CROP [MINIMUM]]: takes a picture, which must have more distinct colours
colourful() { picture "$1" && [ "$(colours "$1" "${2-}")" -gt "${3-300}" ]; }
# card_shown PICTURE: prints the number of pixels in the lower half that have the error card's red
card_shown() {
  convert "$tmp/$1.png" -crop "${screen_width}x$((screen_height / 2))+0+$((screen_height / 2))" +repage -fuzz 12% -fill black +opaque '#f55459' -fuzz 0 -fill white \
    +opaque black -format '%[fx:int(mean*w*h)]' info:
}
with_card() { picture "$1" && [ "$(card_shown "$1")" -gt 200 ]; }
without_card() { picture "$1" && [ "$(card_shown "$1")" -lt 20 ]; }

save() { # save FILE: writes stdin to $game/FILE as editors do, to a temporary file that is then renamed
  cat >"$game/$1~"
  mv "$game/$1~" "$game/$1"
}

wait_for 10 test -s "$tmp/display" || { echo "not ok the suite has a display: Xvfb did not start"; exit 1; }
DISPLAY=:$(cat "$tmp/display")
SDL_VIDEODRIVER=x11 # without it SDL falls back to an offscreen driver if the X server does not respond
SHOAL_MAX_FPS=${SHOAL_MAX_FPS:-25} # the processor draws the pictures, which takes half of the time of these suites
export DISPLAY SDL_VIDEODRIVER SHOAL_MAX_FPS
cd "$tmp" || exit 1
