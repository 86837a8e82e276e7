// Keeps a table of the files found by the last scan (path, times, size, inode). The next scan reports the files that
// differ from the table. System events only trigger scans. Without such events, scans run periodically.
#include "platform/file_watch.h"

#include "base/assert.h"
#include "base/alloc.h"
#include "base/array.h"
#include "base/file_status.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "platform/folder_events.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct root_t {
  char *path, *prefix;
  bool missing; // true if the folder was deleted or moved away
} root_t;

typedef struct watched_file_t {
  char *path;
  file_status_t status;
  bool found; // true if the current scan has found the file
} watched_file_t;

typedef struct changed_file_t {
  char *path; // path as reported to callers
  bool may_be_equal;
} changed_file_t;

struct file_watch_o {
  log_o *log;
  allocator_t memory;
  bool polling;
  int events; // queue of platform/folder_events.h; -1: closed
  ARRAY(root_t) roots;
  ARRAY(watched_file_t) files;
  // Maps a path to its index in `files` + 1. Cleared when a file is removed, and rebuilt by the next lookup.
  hash_table_t files_by_path;
  ARRAY(changed_file_t) batch; // changed files reported by the last poll
  bool scan_due;               // true if an event has occurred since the last scan
  double due_s, first_event_s, last_check_s;
  bool has_checked, logged_limit, logged_size;
};

bool file_watch_ignores(const char *name) {
  size_t length = strlen(name);
  if (length == 0 || name[0] == '.' || name[0] == '#' || name[length - 1] == '~' || strcmp(name, "4913") == 0)
    return true;
  const char *dot = strrchr(name, '.');
  return dot && (strcmp(dot, ".swp") == 0 || strcmp(dot, ".swx") == 0 || strcmp(dot, ".tmp") == 0 ||
                 strcmp(dot, ".bak") == 0 || strcmp(dot, ".part") == 0);
}

// Returns true if `path` is `folder` or is inside it. Stores the rest of the path in `*suffix` ("" for the folder
// itself).
static bool is_path_below(const char *path, const char *folder, const char **suffix) {
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != 0))
    return false;
  *suffix = path[length] == '/' ? path + length + 1 : path + length;
  return true;
}

static void report_change(file_watch_o *w, const char *path, bool may_be_equal) {
  char reported_path[FILE_PATH_BYTES + 64] = "";
  const char *suffix = NULL;
  for (uint32_t i = 0; i < w->roots.count && !reported_path[0]; ++i)
    if (is_path_below(path, w->roots.items[i].path, &suffix))
      snprintf(reported_path, sizeof reported_path, "%s%s", w->roots.items[i].prefix, suffix);
  if (!reported_path[0])
    return;
  changed_file_t file = {alloc_copy_text(&w->memory, reported_path), may_be_equal};
  array_push(&w->memory, &w->batch, file);
}

static watched_file_t *find_file(file_watch_o *w, const char *path) {
  uint64_t hash = hash_text(path);
  if (w->files_by_path.count == 0)
    for (uint32_t i = 0; i < w->files.count; ++i)
      hash_table_insert(&w->files_by_path, &w->memory, hash_text(w->files.items[i].path), i + 1);
  for (uint32_t cursor = 0, i; (i = hash_table_find_next(&w->files_by_path, hash, &cursor)) != 0;)
    if (strcmp(w->files.items[i - 1].path, path) == 0)
      return &w->files.items[i - 1];
  return NULL;
}

// Adds a file to the table. Requires an earlier find_file, which rebuilds the hash table if necessary.
static void add_file(file_watch_o *w, watched_file_t new_file) {
  array_push(&w->memory, &w->files, new_file);
  hash_table_insert(&w->files_by_path, &w->memory, hash_text(new_file.path), w->files.count);
}

static void remove_file(file_watch_o *w, watched_file_t *file) {
  alloc_free_text(&w->memory, file->path);
  *file = w->files.items[--w->files.count];
  hash_table_free(&w->files_by_path, &w->memory);
}

// Updates the table entry of a file. Returns true if the file is new or differs from its entry. `may_be_equal` is set
// if only the status change time (ctime) differs. In this case, a program has either changed the content and restored
// the modification time, or changed only permissions or links.
static bool update_file(file_watch_o *w, const char *path, const file_status_t *status, bool *may_be_equal) {
  watched_file_t *file = find_file(w, path), new_file = {.status = *status, .found = true};
  new_file.path = file ? file->path : alloc_copy_text(&w->memory, path);
  if (!file) {
    add_file(w, new_file);
    return true;
  }
  bool changed = file->status.modified_ns != status->modified_ns || file->status.size_bytes != status->size_bytes ||
                 file->status.number != status->number;
  *may_be_equal = !changed;
  changed |= file->status.changed_ns != status->changed_ns;
  *file = new_file;
  return changed;
}

static void watch_folder(file_watch_o *w, const char *path);

// Returns true for a link back into a watched folder. Other links to folders are followed.
static bool is_link_loop(const file_watch_o *w, const char *path) {
  char target[FILE_PATH_BYTES];
  file_status_t status;
  const char *suffix = NULL;
  if (!file_status_of_link(path, &status) || status.type != FILE_TYPE_LINK || !path_resolve(path, target))
    return false;
  for (uint32_t i = 0; i < w->roots.count; ++i)
    if (is_path_below(target, w->roots.items[i].path, &suffix))
      return true;
  return false;
}

typedef struct scan_t {
  file_watch_o *watch;
  bool report_changes;
} scan_t;

static bool should_skip_file(void *context, const char *name) {
  (void)context;
  return file_watch_ignores(name);
}

static bool watch_entered_folder(void *context, const char *path, const char *relative) {
  file_watch_o *w = ((scan_t *)context)->watch;
  if (relative[0] && is_link_loop(w, path))
    return false;
  watch_folder(w, path); // must precede reading the folder, so that files created during the read cause an event
  return true;
}

static void scan_file(void *context, const char *path, const char *relative, const file_status_t *status) {
  (void)relative;
  const scan_t *s = context;
  bool may_be_equal = false;
  if (update_file(s->watch, path, status, &may_be_equal) && s->report_changes)
    report_change(s->watch, path, may_be_equal);
}

// Adds `folder` and all folders below it to the queue of events, and all their files to the table. If `report_changes`
// is true, reports the files that differ from the table.
static void scan_folder(file_watch_o *w, const char *folder, bool report_changes) {
  scan_t scan = {w, report_changes};
  error_info_t error = {0};
  file_walk_t walk = {.folder = folder,
                      .is_optional = true,
                      .should_skip = should_skip_file,
                      .should_enter = watch_entered_folder,
                      .on_file = scan_file,
                      .context = &scan};
  // Warns only about exceeded limits, because a reload reports unreadable folders.
  if (!file_walk(&walk, &error) && !error.may_be_unfinished && !w->logged_size) {
    w->logged_size = true;
    log_warn(w->log, "watch: %s", error.text);
  }
}

// Reports all files that were changed, added or removed since the last scan.
static void scan_all_folders(file_watch_o *w) {
  w->scan_due = false;
  for (uint32_t i = 0; i < w->files.count; ++i)
    w->files.items[i].found = false;
  for (uint32_t i = 0; i < w->roots.count; ++i) {
    w->roots.items[i].missing = !file_is_folder(w->roots.items[i].path);
    if (!w->roots.items[i].missing)
      scan_folder(w, w->roots.items[i].path, true);
  }
  for (uint32_t i = w->files.count; i-- > 0;)
    if (!w->files.items[i].found) {
      report_change(w, w->files.items[i].path, false);
      remove_file(w, &w->files.items[i]);
    }
}

static void close_events(file_watch_o *w) {
  folder_events_close(w->events);
  w->events = -1;
}

// Adds a folder to the queue of events. If the system's limit is exhausted, closes the queue; scans are then periodic.
static void watch_folder(file_watch_o *w, const char *path) {
  if (w->events < 0 || folder_events_add(w->events, path))
    return;
  if (!w->logged_limit)
    log_warn(
        w->log,
        "watch: too many inotify watches (%s), so files are polled twice a second: raise fs.inotify.max_user_watches",
        strerror(errno));
  w->logged_limit = true;
  close_events(w);
}

typedef struct event_reader_t {
  file_watch_o *watch;
  double now_s;
} event_reader_t;

static void handle_event(void *context, const char *name, bool is_written) {
  file_watch_o *w = ((event_reader_t *)context)->watch;
  double now_s = ((event_reader_t *)context)->now_s;
  if (name[0] && file_watch_ignores(name))
    return;
  w->first_event_s = w->scan_due ? w->first_event_s : now_s;
  w->scan_due = true;
  w->due_s = fmin(now_s + (is_written ? FILE_WATCH_SETTLE_S : FILE_WATCH_PATIENCE_S),
                  w->first_event_s + FILE_WATCH_PATIENCE_S);
}

static void read_events(file_watch_o *w, double now_s) {
  if (w->events >= 0)
    folder_events_read(w->events, handle_event, &(event_reader_t){w, now_s});
}

file_watch_o *file_watch_create(const file_watch_desc_t *desc) {
  allocator_t memory = {0};
  file_watch_o *w = alloc_resize(&memory, NULL, 0, sizeof *w);
  *w = (file_watch_o){.log = desc->log, .memory = memory, .polling = desc->polling, .events = -1};
  return w;
}

static void clear_batch(file_watch_o *w) {
  for (uint32_t i = 0; i < w->batch.count; ++i)
    alloc_free_text(&w->memory, w->batch.items[i].path);
  w->batch.count = 0;
}

void file_watch_clear(file_watch_o *w) {
  close_events(w);
  for (uint32_t i = 0; i < w->roots.count; ++i) {
    alloc_free_text(&w->memory, w->roots.items[i].path);
    alloc_free_text(&w->memory, w->roots.items[i].prefix);
  }
  for (uint32_t i = 0; i < w->files.count; ++i)
    alloc_free_text(&w->memory, w->files.items[i].path);
  clear_batch(w);
  w->roots.count = w->files.count = 0;
  w->scan_due = false;
  hash_table_free(&w->files_by_path, &w->memory);
}

void file_watch_destroy(file_watch_o *w) {
  if (!w)
    return;
  file_watch_clear(w);
  array_free(&w->memory, &w->roots);
  array_free(&w->memory, &w->files);
  array_free(&w->memory, &w->batch);
  allocator_t memory = w->memory;
  alloc_resize(&memory, w, sizeof *w, 0);
  shoal_assert(memory.bytes == 0, "file_watch leaked %zu bytes", memory.bytes);
}

void file_watch_add(file_watch_o *w, const char *folder, const char *prefix) {
  shoal_assert(folder && prefix, "folder and prefix must not be NULL");
  shoal_assert(!prefix[0] || prefix[strlen(prefix) - 1] == '/', "prefix %s must be empty or end in /", prefix);
  const char *suffix = NULL;
  for (uint32_t i = 0; i < w->roots.count; ++i)
    if (is_path_below(folder, w->roots.items[i].path, &suffix))
      return;
  if (w->roots.count == 0 && !w->polling)
    w->events = folder_events_open();
  root_t root = {alloc_copy_text(&w->memory, folder), alloc_copy_text(&w->memory, prefix),
                 .missing = !file_is_folder(folder)};
  array_push(&w->memory, &w->roots, root);
  scan_folder(w, folder, false);
}

// Returns true if a deleted root folder exists again, for example after a checkout.
static bool has_root_returned(const file_watch_o *w) {
  bool returned = false;
  for (uint32_t i = 0; i < w->roots.count; ++i)
    returned |= w->roots.items[i].missing && file_is_folder(w->roots.items[i].path);
  return returned;
}

uint32_t file_watch_poll(file_watch_o *w, double now_s) {
  shoal_assert(!w->has_checked || now_s >= w->last_check_s, "time ran backwards: %g s after %g s", now_s,
               w->last_check_s);
  clear_batch(w);
  read_events(w, now_s);
  bool should_scan = w->scan_due && now_s >= w->due_s;
  if (!w->has_checked || now_s - w->last_check_s >= FILE_WATCH_POLL_S) {
    should_scan |= w->events < 0 || has_root_returned(w);
    w->has_checked = true;
    w->last_check_s = now_s;
  }
  if (should_scan)
    scan_all_folders(w);
  return w->batch.count;
}

bool file_watch_is_unsettled(file_watch_o *w, double now_s) {
  read_events(w, now_s);
  return w->scan_due;
}

const char *file_watch_path(const file_watch_o *w, uint32_t i) {
  return i < w->batch.count ? w->batch.items[i].path : "";
}

bool file_watch_may_be_equal(const file_watch_o *w, uint32_t i) {
  return i < w->batch.count && w->batch.items[i].may_be_equal;
}
