// Collects raw frames, and runs ffmpeg with options under which it writes the same bytes each time: one thread, and no
// dates or versions in the file.
#include "clip/video_file.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "process/child.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 64

static bool is_installed(const char *program) {
  char path[FILE_PATH_BYTES];
  for (const char *folder = getenv("PATH"); folder && *folder;) {
    size_t length = strcspn(folder, ":");
    snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, program);
    if (file_exists(path) && file_status_permits(path, FILE_USE_EXECUTE))
      return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}

// Writes the path of a temporary file next to the video, with a name that file_remove_stale recognizes.
static void format_path(char out[VIDEO_PATH_BYTES], const video_file_t *v, const char *kind) {
  const char *slash = strrchr(v->path, '/');
  snprintf(out, VIDEO_PATH_BYTES, "%.*s" VIDEO_FILE_TEMPORARY "%s.%ld.tmp", slash ? (int)(slash + 1 - v->path) : 0,
           v->path, kind, process_id());
}

bool video_file_begin(video_file_t *v, error_info_t *error) {
  if (!is_installed("ffmpeg"))
    return error_set(error, "cannot write %s: ffmpeg not found: install ffmpeg, or use .webp, which does not need it",
                     v->path);
  format_path(v->frames_path, v, "frames");
  format_path(v->sound_path, v, "sound");
  format_path(v->new_path, v, "video");
  v->frames = file_open(v->frames_path, false, error);
  return v->frames != NULL;
}

bool video_file_add(video_file_t *v, const uint8_t *rgb, error_info_t *error) {
  size_t bytes = (size_t)v->width * (size_t)v->height * 3;
  return fwrite(rgb, 1, bytes, v->frames) == bytes ||
         error_set(error, "cannot write %s: check that the disk is not full", v->frames_path);
}

// --- ffmpeg

typedef struct command_t {
  const char *arguments[MAX_ARGUMENTS + 1];
  uint32_t count;
} command_t;

static void add_arguments(command_t *command, const char *const *arguments) {
  for (; *arguments; ++arguments) {
    shoal_assert(command->count < MAX_ARGUMENTS, "too many arguments (at most %d)", MAX_ARGUMENTS);
    command->arguments[command->count++] = *arguments;
  }
}

#define ADD_ARGUMENTS(command, ...) add_arguments(command, (const char *const[]){__VA_ARGS__, NULL})

// Runs ffmpeg, whose errors appear on standard error.
bool video_file_write(video_file_t *v, error_info_t *error) {
  command_t command = {.count = 0};
  char size[32], fps[16], crf[16];
  int exit_code = 0, signal = 0;
  bool ok = !ferror(v->frames);
  ok &= fclose(v->frames) == 0;
  v->frames = NULL;
  if (!ok)
    return error_set(error, "cannot write %s: check that the disk is not full", v->frames_path);
  snprintf(size, sizeof size, "%dx%d", v->width, v->height);
  snprintf(fps, sizeof fps, "%u", v->fps);
  snprintf(crf, sizeof crf, "%u", 51 - v->quality * 2 / 5); // constant rate factor of x264; 51 is the lowest quality
  ADD_ARGUMENTS(&command, "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24",
                "-video_size", size, "-framerate", fps, "-i", v->frames_path);
  if (v->is_gif)
    ADD_ARGUMENTS(&command, "-filter_complex", "[0:v]split[a][b];[a]palettegen[p];[b][p]paletteuse");
  else
    ADD_ARGUMENTS(&command, "-i", v->sound_path, "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "slow",
                  "-crf", crf, "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart");
  ADD_ARGUMENTS(&command, "-threads", "1", "-filter_threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact",
                "-flags:a", "+bitexact", "-map_metadata", "-1", "-f", v->is_gif ? "gif" : "mp4", v->new_path);
  if (!child_run_command(command.arguments, &exit_code, &signal) || exit_code != 0 || signal != 0)
    return error_set(error, "cannot write %s: ffmpeg failed (exit code %d)", v->path, exit_code);
  return file_system_rename(v->new_path, v->path) || error_set(error, "cannot write %s", v->path);
}

void video_file_end(video_file_t *v) {
  if (v->frames)
    fclose(v->frames);
  v->frames = NULL;
  if (!v->frames_path[0])
    return;
  remove(v->frames_path);
  remove(v->sound_path);
  remove(v->new_path);
}
