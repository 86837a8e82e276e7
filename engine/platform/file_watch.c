// One table of files (path, time, size) says what was; a file is reported when an event names it, or when a scan
// finds it different from the table. Events are only a reason to look: after an overflow, or without inotify, a scan
// of everything gives the same answer.
#include "platform/file_watch.h"

#include "base/assert.h"
#include "base/alloc.h"
#include "base/array.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/hash_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <errno.h>
#include <sys/inotify.h>
#endif

typedef struct root_t {
  char *path, *prefix;
  bool lost; // was deleted or moved away; tried again now and then
} root_t;

typedef struct seen_t {
  char *path;
  int64_t modified_ns;
  int64_t size_bytes;
  bool found; // by the current scan
} seen_t;

typedef struct folder_t {
  int number; // inotify's watch descriptor
  char *path;
} folder_t;

struct file_watch_o {
  log_o *log;
  allocator_t memory;
  int inotify; // -1: polling
  ARRAY(root_t) roots;
  ARRAY(seen_t) files;
  hash_table_t files_by_path; // indices + 1; empty after a file was removed, and rebuilt by the next lookup
  ARRAY(folder_t) folders;
  ARRAY(char *) pending; // display paths
  ARRAY(char *) batch;
  double pending_since_s, pending_last_s, looked_s;
  bool has_looked, told_limit, told_size;
};

static char *copy_text(file_watch_o *w, const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(alloc_resize(&w->memory, NULL, 0, bytes), text, bytes);
}

static void free_text(file_watch_o *w, char *text) {
  if (text)
    alloc_resize(&w->memory, text, strlen(text) + 1, 0);
}

bool file_watch_ignores(const char *name) {
  size_t n = strlen(name);
  if (n == 0 || name[0] == '.' || name[0] == '#' || name[n - 1] == '~' || strcmp(name, "4913") == 0)
    return true;
  const char *dot = strrchr(name, '.');
  return dot && (strcmp(dot, ".swp") == 0 || strcmp(dot, ".swx") == 0 || strcmp(dot, ".tmp") == 0 ||
                 strcmp(dot, ".bak") == 0 || strcmp(dot, ".part") == 0);
}

// True when `path` is `folder` or lies below it; *rest is then what follows ("" for the folder itself).
static bool is_below(const char *path, const char *folder, const char **rest) {
  size_t n = strlen(folder);
  if (strncmp(path, folder, n) != 0 || (path[n] != '/' && path[n] != 0))
    return false;
  *rest = path[n] == '/' ? path + n + 1 : path + n;
  return true;
}

static void report(file_watch_o *w, const char *path, double now_s) {
  char shown[PATH_MAX + 64] = "";
  const char *rest = NULL;
  for (uint32_t i = 0; i < w->roots.count && !shown[0]; ++i)
    if (is_below(path, w->roots.items[i].path, &rest))
      snprintf(shown, sizeof shown, "%s%s", w->roots.items[i].prefix, rest);
  if (!shown[0])
    return;
  if (w->pending.count == 0)
    w->pending_since_s = now_s;
  w->pending_last_s = now_s;
  for (uint32_t i = 0; i < w->pending.count; ++i)
    if (strcmp(w->pending.items[i], shown) == 0)
      return;
  char *copy = copy_text(w, shown);
  array_push(&w->memory, &w->pending, copy);
}

static seen_t *find_file(file_watch_o *w, const char *path) {
  uint64_t hash = hash_text(path);
  if (w->files_by_path.count == 0)
    for (uint32_t i = 0; i < w->files.count; ++i)
      hash_table_put(&w->files_by_path, &w->memory, hash_text(w->files.items[i].path), i + 1);
  for (uint32_t at = 0, i; (i = hash_table_next(&w->files_by_path, hash, &at)) != 0;)
    if (strcmp(w->files.items[i - 1].path, path) == 0)
      return &w->files.items[i - 1];
  return NULL;
}

// Called after find_file, which has filled the table.
static void add_file(file_watch_o *w, seen_t fresh) {
  array_push(&w->memory, &w->files, fresh);
  hash_table_put(&w->files_by_path, &w->memory, hash_text(fresh.path), w->files.count);
}

static void forget_file(file_watch_o *w, seen_t *file) {
  free_text(w, file->path);
  *file = w->files.items[--w->files.count];
  hash_table_free(&w->files_by_path, &w->memory);
}

static int64_t modified_ns(const struct stat *s) {
  return (int64_t)s->st_mtim.tv_sec * 1000000000 + (int64_t)s->st_mtim.tv_nsec;
}

// Brings the table up to date for one file. Returns true when the file differs from what the table said.
static bool note_file(file_watch_o *w, const char *path, const struct stat *s) {
  seen_t *file = find_file(w, path);
  if (!file) {
    seen_t fresh = {.path = copy_text(w, path), .modified_ns = modified_ns(s), .size_bytes = s->st_size, .found = true};
    add_file(w, fresh);
    return true;
  }
  bool changed = file->modified_ns != modified_ns(s) || file->size_bytes != s->st_size;
  file->modified_ns = modified_ns(s);
  file->size_bytes = s->st_size;
  file->found = true;
  return changed;
}

static void watch_folder(file_watch_o *w, const char *path);

// A link to a folder is followed, unless it leads back into what is watched anyway.
static bool is_circle(const file_watch_o *w, const char *path) {
  char target[PATH_MAX];
  struct stat s;
  const char *rest = NULL;
  if (lstat(path, &s) != 0 || !S_ISLNK(s.st_mode) || !realpath(path, target))
    return false;
  for (uint32_t i = 0; i < w->roots.count; ++i)
    if (is_below(target, w->roots.items[i].path, &rest))
      return true;
  return false;
}

typedef struct scan_t {
  file_watch_o *watch;
  bool tell;
  double now_s;
} scan_t;

static bool scan_skips(void *context, const char *name) {
  (void)context;
  return file_watch_ignores(name);
}

static bool scan_enters(void *context, const char *path, const char *relative) {
  file_watch_o *w = ((scan_t *)context)->watch;
  if (relative[0] && is_circle(w, path))
    return false;
  watch_folder(w, path); // before it is read: what appears in between comes as an event
  return true;
}

static void scan_file(void *context, const char *path, const char *relative, const struct stat *facts) {
  (void)relative;
  const scan_t *s = context;
  if (note_file(s->watch, path, facts) && s->tell)
    report(s->watch, path, s->now_s);
}

// Everything below `folder`: folders get watched, files go into the table, and with `tell` those that differ are
// reported.
static void scan(file_watch_o *w, const char *folder, bool tell, double now_s) {
  scan_t s = {w, tell, now_s};
  error_t error = {0};
  file_walk_t walk = {.folder = folder, .skips = scan_skips, .enters = scan_enters, .file = scan_file, .context = &s};
  bool there = file_is_folder(folder);
  if (!file_walk(&walk, &error) && there && !w->told_size) {
    w->told_size = true;
    log_warn(w->log, "watch: %s", error.text);
  }
}

// A file or a folder is gone: it and what lay below it leave the table, and are reported.
static void lose(file_watch_o *w, const char *path, double now_s) {
  const char *rest = NULL;
  for (uint32_t i = w->files.count; i-- > 0;)
    if (is_below(w->files.items[i].path, path, &rest)) {
      report(w, w->files.items[i].path, now_s);
      forget_file(w, &w->files.items[i]);
    }
}

// A look at every file: finds what changed, appeared and vanished whatever events were missed.
static void scan_all(file_watch_o *w, double now_s) {
  for (uint32_t i = 0; i < w->files.count; ++i)
    w->files.items[i].found = false;
  for (uint32_t i = 0; i < w->roots.count; ++i) {
    struct stat s;
    w->roots.items[i].lost = stat(w->roots.items[i].path, &s) != 0;
    if (!w->roots.items[i].lost)
      scan(w, w->roots.items[i].path, true, now_s);
  }
  for (uint32_t i = w->files.count; i-- > 0;)
    if (!w->files.items[i].found) {
      report(w, w->files.items[i].path, now_s);
      forget_file(w, &w->files.items[i]);
    }
}

#ifdef __linux__
#define FOLDER_EVENTS                                                                                                  \
  (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

// Without inotify the scans do all the work, so a limit only makes the watching slower.
static void give_up_inotify(file_watch_o *w) {
  if (!w->told_limit)
    log_warn(w->log,
             "watch: no more inotify watches (%s): looking at the files twice a second instead; raise "
             "fs.inotify.max_user_watches",
             strerror(errno));
  w->told_limit = true;
  if (w->inotify >= 0)
    close(w->inotify);
  w->inotify = -1;
}

static void watch_folder(file_watch_o *w, const char *path) {
  if (w->inotify < 0)
    return;
  int number = inotify_add_watch(w->inotify, path, FOLDER_EVENTS);
  if (number < 0) {
    if (errno == ENOSPC || errno == ENOMEM)
      give_up_inotify(w);
    return;
  }
  for (uint32_t i = 0; i < w->folders.count; ++i)
    if (w->folders.items[i].number == number) {
      free_text(w, w->folders.items[i].path); // it may have been moved here
      w->folders.items[i].path = copy_text(w, path);
      return;
    }
  folder_t folder = {.number = number, .path = copy_text(w, path)};
  array_push(&w->memory, &w->folders, folder);
}

static void forget_folder(file_watch_o *w, int number) {
  for (uint32_t i = 0; i < w->folders.count; ++i)
    if (w->folders.items[i].number == number) {
      free_text(w, w->folders.items[i].path);
      w->folders.items[i] = w->folders.items[--w->folders.count];
      return;
    }
}

// The watches of a folder that moved away would go on telling under its old name.
static void unwatch_below(file_watch_o *w, const char *path) {
  const char *rest = NULL;
  for (uint32_t i = w->folders.count; i-- > 0;)
    if (is_below(w->folders.items[i].path, path, &rest)) {
      int number = w->folders.items[i].number;
      forget_folder(w, number);
      inotify_rm_watch(w->inotify, number);
    }
}

static void file_event(file_watch_o *w, const char *path, uint32_t mask, double now_s) {
  struct stat s;
  if (mask & (IN_DELETE | IN_MOVED_FROM)) {
    lose(w, path, now_s);
    return;
  }
  // A file that was just created is still being written, and its CLOSE_WRITE follows; a link is complete at once.
  if (mask & IN_CREATE && (lstat(path, &s) != 0 || (!S_ISLNK(s.st_mode) && s.st_nlink < 2)))
    return;
  if (stat(path, &s) == 0 && S_ISREG(s.st_mode)) {
    note_file(w, path, &s);
    report(w, path, now_s);
  }
}

static void take_event(file_watch_o *w, const struct inotify_event *event, double now_s) {
  const char *folder = NULL;
  for (uint32_t i = 0; i < w->folders.count && !folder; ++i)
    if (w->folders.items[i].number == event->wd)
      folder = w->folders.items[i].path;
  char path[PATH_MAX];
  if (!folder)
    return;
  if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) {
    for (uint32_t i = 0; i < w->roots.count; ++i)
      w->roots.items[i].lost |= strcmp(w->roots.items[i].path, folder) == 0;
    if (event->mask & IN_IGNORED)
      forget_folder(w, event->wd);
    return;
  }
  if (event->len == 0 || file_watch_ignores(event->name) ||
      snprintf(path, sizeof path, "%s/%s", folder, event->name) >= (int)sizeof path)
    return;
  if (!(event->mask & IN_ISDIR)) {
    file_event(w, path, event->mask, now_s);
  } else if (event->mask & (IN_DELETE | IN_MOVED_FROM)) {
    unwatch_below(w, path);
    lose(w, path, now_s);
  } else {
    scan(w, path, true, now_s);
  }
}

static void read_events(file_watch_o *w, double now_s) {
  _Alignas(struct inotify_event) char buffer[16384];
  while (w->inotify >= 0) {
    ssize_t bytes = read(w->inotify, buffer, sizeof buffer);
    if (bytes <= 0)
      return;
    bool overflow = false;
    for (ssize_t at = 0; at < bytes;) {
      const struct inotify_event *event = (const struct inotify_event *)(const void *)(buffer + at);
      at += (ssize_t)(sizeof *event + event->len);
      if (event->mask & IN_Q_OVERFLOW)
        overflow = true;
      else if (w->inotify >= 0)
        take_event(w, event, now_s);
    }
    if (overflow)
      scan_all(w, now_s);
  }
}

static int open_inotify(void) {
  return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}
#else
static void watch_folder(file_watch_o *w, const char *path) {
  (void)w, (void)path;
}

static void read_events(file_watch_o *w, double now_s) {
  (void)w, (void)now_s;
}

static int open_inotify(void) {
  return -1;
}
#endif

file_watch_o *file_watch_create(const file_watch_desc_t *desc) {
  allocator_t memory = {0};
  file_watch_o *w = alloc_resize(&memory, NULL, 0, sizeof *w);
  *w = (file_watch_o){.log = desc->log, .memory = memory, .inotify = desc->polling ? -1 : open_inotify()};
  return w;
}

#define FREE_TEXTS(w, list)                                                                                            \
  do {                                                                                                                 \
    for (uint32_t i_ = 0; i_ < (list)->count; ++i_)                                                                    \
      free_text(w, (list)->items[i_]);                                                                                 \
    (list)->count = 0;                                                                                                 \
  } while (0)

void file_watch_clear(file_watch_o *w) {
#ifdef __linux__
  for (uint32_t i = 0; i < w->folders.count && w->inotify >= 0; ++i)
    inotify_rm_watch(w->inotify, w->folders.items[i].number);
#endif
  for (uint32_t i = 0; i < w->roots.count; ++i) {
    free_text(w, w->roots.items[i].path);
    free_text(w, w->roots.items[i].prefix);
  }
  for (uint32_t i = 0; i < w->files.count; ++i)
    free_text(w, w->files.items[i].path);
  for (uint32_t i = 0; i < w->folders.count; ++i)
    free_text(w, w->folders.items[i].path);
  FREE_TEXTS(w, &w->pending);
  FREE_TEXTS(w, &w->batch);
  w->roots.count = w->files.count = w->folders.count = 0;
  hash_table_free(&w->files_by_path, &w->memory);
}

void file_watch_destroy(file_watch_o *w) {
  if (!w)
    return;
  file_watch_clear(w);
  if (w->inotify >= 0)
    close(w->inotify);
  array_free(&w->memory, &w->roots);
  array_free(&w->memory, &w->files);
  array_free(&w->memory, &w->folders);
  array_free(&w->memory, &w->pending);
  array_free(&w->memory, &w->batch);
  allocator_t memory = w->memory;
  alloc_resize(&memory, w, sizeof *w, 0);
  shoal_assert(memory.bytes == 0, "watching files kept %zu bytes", memory.bytes);
}

void file_watch_add(file_watch_o *w, const char *folder, const char *prefix) {
  shoal_assert(folder && prefix, "a folder and what stands before its paths");
  shoal_assert(!prefix[0] || prefix[strlen(prefix) - 1] == '/', "paths are told as %s and what follows", prefix);
  const char *rest = NULL;
  for (uint32_t i = 0; i < w->roots.count; ++i)
    if (is_below(folder, w->roots.items[i].path, &rest))
      return;
  root_t root = {.path = copy_text(w, folder), .prefix = copy_text(w, prefix)};
  array_push(&w->memory, &w->roots, root);
  scan(w, folder, false, 0);
}

// Roots that were deleted and may be back (a checkout, a folder that is written anew).
static void find_lost_roots(file_watch_o *w, double now_s) {
  for (uint32_t i = 0; i < w->roots.count; ++i) {
    struct stat s;
    root_t *root = &w->roots.items[i];
    if (!root->lost || stat(root->path, &s) != 0)
      continue;
    root->lost = false;
    scan(w, root->path, true, now_s);
  }
}

uint32_t file_watch_poll(file_watch_o *w, double now_s) {
  shoal_assert(!w->has_looked || now_s >= w->looked_s, "it is %g s, and was %g s", now_s, w->looked_s);
  FREE_TEXTS(w, &w->batch);
  read_events(w, now_s);
  if (!w->has_looked || now_s - w->looked_s >= FILE_WATCH_POLL_S) {
    if (w->inotify < 0)
      scan_all(w, now_s);
    else
      find_lost_roots(w, now_s);
    w->has_looked = true;
    w->looked_s = now_s;
  }
  bool settled =
      now_s - w->pending_last_s >= FILE_WATCH_SETTLE_S || now_s - w->pending_since_s >= FILE_WATCH_PATIENCE_S;
  if (w->pending.count == 0 || !settled)
    return 0;
  for (uint32_t i = 0; i < w->pending.count; ++i)
    array_push(&w->memory, &w->batch, w->pending.items[i]);
  w->pending.count = 0;
  return w->batch.count;
}

const char *file_watch_path(const file_watch_o *w, uint32_t i) {
  return i < w->batch.count ? w->batch.items[i] : "";
}
