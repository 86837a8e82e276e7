// Reports changes to files in watched folders, by comparing the times, size and inode of all files with the previous
// scan. On Linux, inotify events trigger scans. On other systems, or if inotify runs out of watches, scans run every
// FILE_WATCH_POLL_S seconds. Temporary files of editors are ignored. Callers pass the current time. No function blocks.
#ifndef SHOAL_PLATFORM_FILE_WATCH_H
#define SHOAL_PLATFORM_FILE_WATCH_H

#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct file_watch_o file_watch_o;

// Delays in seconds. A scan starts FILE_WATCH_SETTLE_S after the most recent event. After the creation of a file, which
// is still being written, a scan starts FILE_WATCH_PATIENCE_S later. No scan starts later than FILE_WATCH_PATIENCE_S
// after the first event.
#define FILE_WATCH_SETTLE_S 0.06
#define FILE_WATCH_PATIENCE_S 0.5
#define FILE_WATCH_POLL_S 0.5 // interval between scans if inotify is not available

typedef struct file_watch_desc_t {
  bool polling; // true if inotify must not be used (for tests)
  log_o *log;   // log for warnings; borrowed
} file_watch_desc_t;

file_watch_o *file_watch_create(const file_watch_desc_t *desc);
void file_watch_destroy(file_watch_o *w);

// Watches all files below `folder`. The path of a file is reported as `prefix` followed by the path relative to the
// folder. If the folder is deleted, watching resumes once it exists again. Adding a folder inside a watched folder has
// no effect.
void file_watch_add(file_watch_o *w, const char *folder, const char *prefix);
// Stops watching all folders and discards pending changes.
void file_watch_clear(file_watch_o *w);

// Scans if necessary, and returns the number of changed files. A file that changed several times is counted once. Call
// every frame.
uint32_t file_watch_poll(file_watch_o *w, double now_s);
// Returns true if files have changed since the last scan, and may still be written. A scan will follow.
bool file_watch_is_unsettled(file_watch_o *w, double now_s);
// Returns the path of file `i` in the batch found by the last file_watch_poll. Valid until the next file_watch_poll.
const char *file_watch_path(const file_watch_o *w, uint32_t i);
// Returns true if file `i` may have its previous content: only the status change time (ctime) differs, as after chmod,
// or after a copy that preserves the modification time.
bool file_watch_may_be_equal(const file_watch_o *w, uint32_t i);

// Returns true for the names of temporary and hidden files, such as "x~", "x.swp", "4913", "#x#" or "x.tmp".
bool file_watch_ignores(const char *name);

#endif
