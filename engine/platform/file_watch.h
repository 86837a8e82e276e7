// Reports changed files below watched folders, by comparing time, size and inode of all files with the previous scan.
// On Linux, inotify events trigger scans; elsewhere, or if inotify is exhausted, they run every FILE_WATCH_POLL_S.
// Temporary files of editors are ignored. Time is a parameter; nothing blocks.
#ifndef SHOAL_PLATFORM_FILE_WATCH_H
#define SHOAL_PLATFORM_FILE_WATCH_H

#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct file_watch_o file_watch_o;

// The scan starts FILE_WATCH_SETTLE_S after the last event, and at most FILE_WATCH_PATIENCE_S after the first one.
#define FILE_WATCH_SETTLE_S 0.06
#define FILE_WATCH_PATIENCE_S 0.5
#define FILE_WATCH_POLL_S 0.5 // interval of scans without inotify

typedef struct file_watch_desc_t {
  bool polling; // never use inotify (for tests)
  log_o *log;   // borrowed
} file_watch_desc_t;

file_watch_o *file_watch_create(const file_watch_desc_t *desc);
void file_watch_destroy(file_watch_o *w);

// Watches everything below `folder`. Paths are reported as `prefix` + path relative to the folder. A folder that is
// deleted is watched again once it reappears. A folder inside a watched folder adds nothing.
void file_watch_add(file_watch_o *w, const char *folder, const char *prefix);
// Stops watching all folders and discards pending changes.
void file_watch_clear(file_watch_o *w);

// Call every frame. Scans if a scan is due, and returns the number of changed files, each counted once.
uint32_t file_watch_poll(file_watch_o *w, double now_s);
// Returns file `i` of the batch found by the last file_watch_poll; valid until the next call.
const char *file_watch_path(const file_watch_o *w, uint32_t i);

// Returns true for names of temporary and hidden files: "x~", "x.swp", "4913", "#x#", "x.tmp".
bool file_watch_ignores(const char *name);

#endif
