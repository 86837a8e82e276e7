// Encodes a video with the program ffmpeg. Frames and sound are first collected in temporary files next to the video.
#ifndef SHOAL_CLIP_VIDEO_FILE_H
#define SHOAL_CLIP_VIDEO_FILE_H

#include "base/error.h"
#include "base/file_path.h"

#include <stdint.h>
#include <stdio.h>

#define VIDEO_PATH_BYTES (FILE_PATH_BYTES + 64)
#define VIDEO_FILE_TEMPORARY ".shoal-clip-" // prefix of temporary file names

typedef struct video_file_t {
  const char *path; // path of the video
  int width, height;
  uint32_t fps, quality; // frames per second, and quality from 0 to 100, which is ignored for GIF
  bool is_gif;
  FILE *frames;
  char frames_path[VIDEO_PATH_BYTES], sound_path[VIDEO_PATH_BYTES], new_path[VIDEO_PATH_BYTES];
} video_file_t;

// Starts a video. The members `path` to `is_gif` must be set. The caller writes its sound to `sound_path` before
// video_file_write. Returns true on success, or false with a message if ffmpeg is not installed or a file cannot be
// created.
bool video_file_begin(video_file_t *v, error_info_t *error);
// Adds a frame: width × height × 3 bytes, RGB, top row first. Returns true, or false with a message if writing fails.
bool video_file_add(video_file_t *v, const uint8_t *rgb, error_info_t *error);
// Runs ffmpeg and replaces the file `path`. Returns true, or false with a message if ffmpeg or the rename fails.
bool video_file_write(video_file_t *v, error_info_t *error);
// Deletes the temporary files. May be called without video_file_begin.
void video_file_end(video_file_t *v);

#endif
