# `shoal clip` writes a part of a replay as WebP, mp4 or GIF: its frames are the replay's screenshots, and two runs give
# the same bytes.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

recorded() {
  luajit tests/scenarios/lib/random_input.lua "$tmp/keys" 180 5 || fail "cannot generate key presses"
  run_for 60 "$release" play asteroids --headless --no-watch --replay "$tmp/keys" --record "$tmp/bug.replay"
  exits 0
}
it_always "three seconds of Asteroids with random key presses can be recorded" recorded

# clip FILE [options]: writes $tmp/FILE.
clip() {
  file=$1
  shift
  run_for 60 "$release" clip asteroids --replay "$tmp/bug.replay" --out "$tmp/$file" "$@"
}

# decode FILE FOLDER: decodes a WebP, and prints its size, its number of frames and their times.
decode() {
  compile_once "$tmp/webp_frames" "${CC:-cc}" -O1 tests/scenarios/lib/webp_frames.c -lwebpdemux -lwebp ||
    fail "cannot compile webp_frames.c"
  rm -rf "${tmp:?}/$2" && mkdir "$tmp/$2" && "$tmp/webp_frames" "$tmp/$1" "$tmp/$2" || fail "cannot decode $1"
}

# is_screenshot FRAME TICK: fails unless the frame equals the replay's screenshot at that tick.
is_screenshot() {
  SDL_VIDEODRIVER=offscreen run_for 60 "$release" play asteroids --no-watch --no-cockpit --every-tick --width 480 \
    --height 270 --replay "$tmp/bug.replay" --screenshot "$tmp/screen.png" --at "$2"
  exits 0
  convert "$tmp/screen.png" -depth 8 "rgb:$tmp/screen.rgb"
  cmp -s "$tmp/screen.rgb" "$tmp/frames/$1.rgb" || fail "frame $1 differs from the screenshot at tick $2"
}

shows_the_replay() {
  skip_without convert
  clip exact.webp --from 1 --to 2 --lossless
  exits 0 out "exact.webp: 1 s, 20 frames of 480 × 270" "WebP has no sound"
  times=$(decode exact.webp frames)
  [ "$times" = "480 270 20$(seq -s ' ' -f ' %g' 50 50 1000 | tr -s ' ')" ] || fail "size, frames and times: $times"
  is_screenshot 0 60
  [ -z "$LONG" ] || is_screenshot 7 81
  is_screenshot 19 117
}
it "the frames of a lossless clip equal the screenshots of its replay" shows_the_replay

repeats() { # repeats EXTENSION [PROGRAM]
  [ -z "${2-}" ] || skip_without "$2"
  clip "one.$1" --last 0.5 --size 160x90
  exits 0
  clip "two.$1" --from 2.5 --to 3 --size 160x90
  exits 0
  cmp "$tmp/one.$1" "$tmp/two.$1" || fail "the files differ"
  [ -z "$(find "$tmp" -name "*.tmp")" ] || fail "temporary files: $(find "$tmp" -name "*.tmp")"
}
# Creates temporary files of killed clips and of an ended process. The next clip must remove only these files.
killed() { # killed EXTENSION [PROGRAM]
  [ -z "${2-}" ] || skip_without "$2"
  rm -rf "$tmp/killed" "$tmp/killed_tmp"
  mkdir "$tmp/killed" "$tmp/killed_tmp"
  export TMPDIR="$tmp/killed_tmp"
  for delay in 0.1 0.2 0.4 0.8; do
    "$release" clip asteroids --replay "$tmp/bug.replay" --out "$tmp/killed/a.$1" >"$tmp/out" 2>&1 &
    sleep "$delay"
    kill -KILL $! 2>/dev/null || :
    wait $! || :
  done
  dead=$(sh -c 'echo $$')
  mkdir -p "$TMPDIR/shoal-saves-$dead-abcdef/0"
  touch "$tmp/killed/.shoal-clip-frames.$dead.tmp" "$tmp/killed/a.$1.$dead.tmp" "$tmp/killed/notes.$dead.tmp" \
    "$TMPDIR/shoal-saves-$dead-abcdef/0/slot.sqlite"
  clip "killed/a.$1" --last 0.2 --size 160x90
  exits 0
  [ "$(find "$tmp/killed" "$TMPDIR" -mindepth 1 | LC_ALL=C sort)" = "$tmp/killed/a.$1
$tmp/killed/notes.$dead.tmp" ] || fail "temporary files: $(find "$tmp/killed" "$TMPDIR")"
  rm -r "$tmp/killed"
}
it "a WebP clip removes the temporary files of killed clips" killed webp
[ -z "$LONG" ] ||
  it "an mp4 clip removes the temporary files of killed clips" killed mp4 ffmpeg

it "two clips of the same part of a replay are identical WebP files" repeats webp
it "two clips of the same part of a replay are identical mp4 files" repeats mp4 ffmpeg
it "two clips of the same part of a replay are identical GIF files" repeats gif ffmpeg

has_options() {
  clip small.webp --from 0.5 --to 1 --size 160x120 --fps 10 --quality 10
  exits 0
  [ "$(decode small.webp frames)" = "160 120 5 100 200 300 400 500" ] || fail "$(decode small.webp frames)"
  large=$(wc -c <"$tmp/small.webp")
  clip small.webp --from 0.5 --to 1 --size 160x120 --fps 10 --quality 90
  [ "$large" -lt "$(wc -c <"$tmp/small.webp")" ] || fail "quality 10 takes $large bytes"
}
it "--size, --fps and --quality set the size, frame rate and quality of a clip" has_options

has_sound() {
  skip_without ffmpeg
  clip loud.mp4 --from 1 --to 3 --size 160x90
  exits 0
  ffmpeg -nostdin -v info -i "$tmp/loud.mp4" -af volumedetect -f null - >"$tmp/volume" 2>&1
  grep -q 'Duration: 00:00:02.0' "$tmp/volume" || fail "$(grep Duration "$tmp/volume")"
  grep -q 'max_volume: -[0-9]\.' "$tmp/volume" || fail "no sound: $(grep max_volume "$tmp/volume")"
}
it "an mp4 clip contains the sound of the game" has_sound

runs_without_recording() {
  run_for 60 "$release" clip scripts/examples/sprites --to 0.5 --out "$tmp/demo.webp"
  exits 0
  decode demo.webp frames | grep -q " 500$" || fail "it does not end after 500 ms: $(decode demo.webp frames)"
}
it "./shoal clip of a game folder without --replay runs the game without input" runs_without_recording

shows_a_rewind() {
  game=$tmp/bouncer
  mkdir -p "$game/systems"
  echo 'return { title = "Bouncer", width = 320, height = 240 }' >"$game/game.lua"
  cat >"$game/systems/ball.lua" <<'END'
return {
  phase = "render",
  update = function() draw.circle(world.tick % 300, 120, 20, true) end,
}
END
  printf '%s\n' 'game Bouncer' 'wait 60' 'mouse 20 20 60' 'rewind 30' 'wait 10' >"$tmp/rewind.txt"
  luajit scripts/build/recording.lua "$tmp/rewind.txt" "$tmp/rewind.replay" || fail "no recording"
  run_for 60 "$release" clip "$game" --replay "$tmp/rewind.replay" --from 1.5 --out "$tmp/rewind.webp" --lossless
  exits 0 out "rewind.webp: 1.167 s, 23 frames"
  decode rewind.webp frames >"$tmp/times"
  for i in 1 5 9; do
    cmp -s "$tmp/frames/$((10 - i)).rgb" "$tmp/frames/$((10 + i)).rgb" || fail "frame $i after the rewind"
  done
  ! cmp -s "$tmp/frames/1.rgb" "$tmp/frames/5.rgb" || fail "the frames are the same"
}
it "a clip shows each step of a recorded rewind" shows_a_rewind

refused() { # refused "message" [options]: expects that the clip is refused before the game runs
  message=$1
  shift
  clip refused.webp "$@"
  exits 2 err "$message"
  expect_one_line err
  [ ! -e "$tmp/refused.webp" ] || fail "a file was written"
}
bad_arguments() {
  refused "--to 9 is after the end of $tmp/bug.replay, which lasts 3.000 s" --from 1 --to 9
  refused "--from 4 is after the end" --from 4
  refused "--from must be less than --to (1), got 2" --from 2 --to 1
  refused "--out must end with .webp, .mp4 or .gif, got “$tmp/x.avi”" --out "$tmp/x.avi"
  refused "--lossless requires .webp" --out "$tmp/x.gif" --lossless
  refused "--size must have an even width and height for .mp4" --out "$tmp/x.mp4" --size 101x100
  refused "--size must be WIDTHxHEIGHT" --size 10x10
  refused "--fps must be an integer from 1 to 60, got “0”" --fps 0
  refused "--last cannot be used with --from and --to" --last 1 --to 2
  refused "unknown option “--form” (see clip --help): did you mean --from?" --form 1
  refused "$tmp/none: file not found" --replay "$tmp/none"
}
it "./shoal clip refuses invalid options, ranges outside the recording, and missing recordings" bad_arguments

needs_ffmpeg() {
  PATH=/nonexistent "$release" clip asteroids --replay "$tmp/bug.replay" --out "$tmp/none.mp4" >"$tmp/out" 2>"$tmp/err" &&
    fail "no error"
  says err "none.mp4: ffmpeg not found: install ffmpeg, or use .webp"
  [ ! -e "$tmp/none.mp4" ] || fail "a file was written"
}
it "./shoal clip refuses to write an mp4 file if ffmpeg is not installed" needs_ffmpeg

differs() {
  clip differs.webp --exec 'world.random()'
  exits 1 err "tick 1 is the first that differs"
  [ ! -e "$tmp/differs.webp" ] || fail "a file was written"
}
it "./shoal clip writes no file if the replay diverges from its recording" differs

finds_prompts() {
  for game in $(sed -n 's/^demo \([a-z_]*\) .*/\1/p' scripts/build/clips.sh); do
    rm -rf "$tmp/copy"
    sh scripts/build/copy_without_prompt.sh "scripts/games/$game" "$tmp/copy" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  done
}
it "the demo of each game in clips.sh has a prompt that copy_without_prompt.sh can remove" finds_prompts
