// Runs the host offscreen, one item of the recording per frame, and passes the frames and the sound of the requested
// range to the encoders.
//
// Every tick, paused frame, and step through the history is a step of the clip, which lasts one tick. The clip of a
// replay that rewinds therefore shows the rewind. The frame at second S is the frame after S × tick_rate steps, but at
// least one step.
#include "clip/clip.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "clip/clip_options.h"
#include "clip/sound_track.h"
#include "clip/video_file.h"
#include "clip/webp_animation.h"
#include "host/host_tools.h"
#include "process/child.h"
#include "process/signals.h"
#include "time/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct clip_t {
  clip_options_t options;
  char folder[PATH_MAX_BYTES]; // folder of the game
  host_o *host;
  webp_animation_o *webp; // encoder; NULL for videos
  video_file_t video;
  sound_track_t sound; // sound of the clip; used only for mp4
  uint32_t tick_rate;
  uint64_t step;                    // number of steps run so far
  uint32_t frame_count, next_frame; // `frame_count`: frames in the clip; `next_frame`: next frame to add
} clip_t;

// --- range

static bool is_step(record_kind_t kind) {
  return kind == RECORD_TICK || kind == RECORD_FRAME || kind == RECORD_BACK || kind == RECORD_FORWARD;
}

// Stores the duration of the recording in seconds, up to its last complete chunk. Returns true on success, or false
// with an error.
static bool measure_recording(const char *path, double *out, error_info_t *error) {
  allocator_t memory = {0};
  recording_item_t item;
  uint64_t steps = 0;
  recording_o *recording = recording_open(&memory, path, error);
  if (!recording)
    return false;
  do {
    recording_read_item(recording, &item, &(error_info_t){0});
    external_result_release(item.result);
    steps += is_step(item.kind);
  } while (item.kind != RECORD_END && item.kind != RECORD_NONE && !interrupt_is_requested());
  uint32_t rate = recording_head(recording)->tick_rate;
  *out = rate > 0 ? (double)steps / rate : 0;
  recording_close(recording);
  return true;
}

// Computes the range of the clip from --from, --to and --last. Returns true on success, or false with an error if the
// recording cannot be read, or if the range is empty, too long, or exceeds the recording.
static bool find_range(clip_options_t *o, error_info_t *error) {
  double length_s = CLIP_MAX_S * 1000;
  if (o->run.replay && !measure_recording(o->run.replay, &length_s, error))
    return false;
  if (o->last_s > 0)
    o->from_s = length_s > o->last_s ? length_s - o->last_s : 0;
  if (!o->has_to)
    o->to_s = length_s;
  if (o->to_s > length_s + 0.0005 || o->from_s > length_s)
    return error_set(error, "--%s %g is after the end of %s, which lasts %.3f s", o->to_s > length_s ? "to" : "from",
                     o->to_s > length_s ? o->to_s : o->from_s, o->run.replay, length_s);
  if (!(o->from_s < o->to_s))
    return error_set(error, "--from must be less than --to (%g), got %g", o->to_s, o->from_s);
  return o->to_s - o->from_s <= CLIP_MAX_S ||
         error_set(error, "a clip may last at most %g s, got %g s: use --from and --to", CLIP_MAX_S,
                   o->to_s - o->from_s);
}

static uint64_t find_step(const clip_t *c, double seconds) {
  uint64_t step = (uint64_t)llround(seconds * c->tick_rate);
  return step > 0 ? step : 1;
}

// --- encoders

// Removes the temporary files that terminated processes have left next to the clip.
static void remove_stale_files(const char *path) {
  char folder[FILE_PATH_BYTES], prefix[FILE_PATH_BYTES];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
  snprintf(prefix, sizeof prefix, "%s.", slash ? slash + 1 : path);
  file_remove_stale(folder, prefix, process_exists);
  file_remove_stale(folder, VIDEO_FILE_TEMPORARY, process_exists);
}

static bool begin_files(clip_t *c, error_info_t *error) {
  const clip_options_t *o = &c->options;
  remove_stale_files(o->out);
  c->tick_rate = host_game(c->host)->config.tick_rate;
  c->frame_count = (uint32_t)llround((o->to_s - o->from_s) * o->fps);
  c->frame_count += c->frame_count == 0;
  if (o->format == CLIP_WEBP) {
    c->webp =
        webp_animation_create(&(webp_animation_desc_t){o->width, o->height, o->fps, o->quality, o->lossless}, error);
    return c->webp != NULL;
  }
  c->video = (video_file_t){o->out, o->width, o->height, o->fps, o->quality, .is_gif = o->format == CLIP_GIF};
  if (!video_file_begin(&c->video, error))
    return false;
  c->sound = (sound_track_t){.tick_rate = c->tick_rate,
                             .first_step = (uint64_t)llround(o->from_s * c->tick_rate) + 1,
                             .last_step = find_step(c, o->to_s)};
  if (c->sound.first_step > c->sound.last_step)
    c->sound.first_step = c->sound.last_step;
  return c->video.is_gif || sound_track_begin(&c->sound, c->video.sound_path, error);
}

static bool add_frame(clip_t *c, error_info_t *error) {
  host_canvas_t canvas;
  allocator_t memory = {0};
  int width = 0, height = 0;
  uint8_t *rgb = host_get_canvas(c->host, &canvas) ? render_read_frame(canvas.render, &memory, &width, &height) : NULL;
  if (!rgb)
    return error_set(error, "cannot read a frame");
  size_t bytes = (size_t)width * (size_t)height * 3;
  bool ok = width == c->options.width && height == c->options.height;
  if (!ok)
    error_set(error, "the game changed the size of its window to %d × %d", width, height);
  for (; ok && c->next_frame < c->frame_count &&
         find_step(c, c->options.from_s + (double)c->next_frame / c->options.fps) <= c->step;
       ++c->next_frame)
    ok = c->webp ? webp_animation_add(c->webp, rgb, error) : video_file_add(&c->video, rgb, error);
  alloc_resize(&memory, rgb, bytes, 0);
  return ok;
}

static bool write_file(clip_t *c, error_info_t *error) {
  if (c->webp)
    return webp_animation_write(c->webp, c->options.out, error);
  return sound_track_end(&c->sound, c->video.sound_path, error) && video_file_write(&c->video, error);
}

// --- the run

static bool is_complete(const clip_t *c) {
  return c->next_frame == c->frame_count && (!c->sound.file || c->step >= c->sound.last_step);
}

// Runs one frame of the host, and adds it to the clip if it is due. Returns true on success, or false with an error if
// the run was interrupted, has failed or has ended too early, or if the frame cannot be added.
static bool run_frame(clip_t *c, error_info_t *error) {
  host_begin_frame(c->host);
  bool continues = host_end_frame(c->host);
  session_t *session = host_session(c->host);
  if (interrupt_is_requested())
    return error_set(error, "interrupted");
  if (host_exit_code(c->host) != 0)
    return error_set(error, "the run failed after %.3f s: see the messages above", (double)c->step / c->tick_rate);
  if (!c->options.run.replay || is_step(session->recording.item.kind)) {
    ++c->step;
    if (c->sound.file)
      sound_track_add_step(&c->sound, host_audio(c->host), c->step);
    bool is_due = c->next_frame < c->frame_count &&
                  find_step(c, c->options.from_s + (double)c->next_frame / c->options.fps) <= c->step;
    if (is_due && !add_frame(c, error))
      return false;
  }
  return continues || is_complete(c) || error_set(error, "the run ended after %.3f s", (double)c->step / c->tick_rate);
}

static bool run_game(clip_t *c, error_info_t *error) {
  c->host = host_create(&c->options.run, error);
  if (!c->host)
    return false;
  if (!host_game(c->host))
    return error_set(error, "the game does not start: see the messages above");
  if (!begin_files(c, error))
    return false;
  while (!is_complete(c))
    if (!run_frame(c, error))
      return false;
  return write_file(c, error);
}

static void end_run(clip_t *c) {
  webp_animation_destroy(c->webp);
  sound_track_end(&c->sound, c->video.sound_path, NULL);
  video_file_end(&c->video);
  host_destroy(c->host);
}

static void print_result(const clip_t *c) {
  file_status_t status = {0};
  const clip_options_t *o = &c->options;
  file_status(o->out, &status);
  printf("%s: %g s, %u frames of %d × %d, %lld KB%s\n", o->out, round((o->to_s - o->from_s) * 1000) / 1000,
         c->frame_count, o->width, o->height, ((long long)status.size_bytes + 1023) / 1024,
         o->format == CLIP_MP4    ? ""
         : o->format == CLIP_WEBP ? " (WebP has no sound; use .mp4 for sound)"
                                  : " (GIF has no sound; use .mp4 for sound)");
}

// Parses the options, finds the game and computes the range, before the run starts. Returns true on success, or false
// with an error.
static bool prepare(clip_t *c, int argc, const char *const *argv, const package_t *package, error_info_t *error) {
  paths_t paths;
  if (!clip_options_parse(argc, argv, package, &c->options, error))
    return false;
  if (c->options.help)
    return true;
  if (package)
    return find_range(&c->options, error);
  if (!paths_find_installation(&paths, argv[0], error) ||
      !paths_find_game_or_folder(&paths, c->options.run.target, c->folder, error))
    return false;
  c->options.run.target = c->folder;
  return find_range(&c->options, error);
}

int clip_run(int argc, const char *const *argv, const package_t *package) {
  error_info_t error = {0};
  static clip_t clip; // static: too large for the stack
  shoal_assert(argc > 1 && strcmp(argv[1], "clip") == 0, "argv[1] must be clip");
  if (!prepare(&clip, argc, argv, package, &error)) {
    fprintf(stderr, "shoal: clip: %s\n", error.text);
    return 2;
  }
  if (clip.options.help) {
    clip_options_print_help(stdout);
    return 0;
  }
  signals_catch_termination();
  // Renders offscreen, because a window could be resized or covered. putenv keeps the string.
  static char driver[] = "SDL_VIDEODRIVER=offscreen";
  putenv(driver);
  bool ok = run_game(&clip, &error);
  end_run(&clip);
  if (ok)
    print_result(&clip);
  else
    fprintf(stderr, "shoal: clip: %s\n", error.text);
  return ok ? 0 : 1;
}
