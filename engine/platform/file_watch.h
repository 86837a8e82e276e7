// Reports which files below some folders have changed, by comparing time, size and inode of all files with those of the
// previous scan. On Linux a scan follows inotify's events; elsewhere, and where inotify is exhausted, it runs twice a
// second. Temporary files of editors are left out. Time is a parameter; nothing sleeps and nothing blocks.
#ifndef SHOAL_PLATFORM_FILE_WATCH_H
#define SHOAL_PLATFORM_FILE_WATCH_H

#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct file_watch_o file_watch_o;

// The scan starts FILE_WATCH_SETTLE_S after the last event, and at most FILE_WATCH_PATIENCE_S after the first one.
#define FILE_WATCH_SETTLE_S 0.06
#define FILE_WATCH_PATIENCE_S 0.5
#define FILE_WATCH_POLL_S 0.5 // between two scans without inotify

typedef struct file_watch_desc_t {
  bool polling; // never use inotify (for tests)
  log_o *log;   // borrowed
} file_watch_desc_t;

file_watch_o *file_watch_create(const file_watch_desc_t *desc);
void file_watch_destroy(file_watch_o *w);

// Watches everything below `folder` from now on. Paths are told as `prefix` + path below the folder. A folder that
// vanishes is waited for. A folder inside one that is watched already adds nothing.
void file_watch_add(file_watch_o *w, const char *folder, const char *prefix);
// Forgets all folders and what was pending (another game).
void file_watch_clear(file_watch_o *w);

// Call every frame. Scans if a scan is due, and returns the number of files that changed. Each file is in it once.
uint32_t file_watch_poll(file_watch_o *w, double now_s);
// File `i` of the batch that the last file_watch_poll returned; valid until the next call.
const char *file_watch_path(const file_watch_o *w, uint32_t i);

// True for names that editors and tools make on the way: hidden ones, "x~", "x.swp", "4913", "#x#", "x.tmp".
bool file_watch_ignores(const char *name);

#endif
