// Thread and child process that save the last seconds (F12), and the notices about their files.
#include "session/excerpts.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/user_folders.h"
#include "process/threads.h"
#include "session/session.h"
#include "start/package.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LIMIT_MS (10u * 60u * 1000u) // CPU time limit for rendering a clip, in milliseconds
#define CLIP_S "10"
#define CLIP_HEIGHT 270
#define MAX_WHOLE_HEIGHT 360 // maximum logical height of games, such as pixel art, whose clips are not scaled

// --- the thread

static void *write_on_thread(void *context) {
  excerpt_t *e = context;
  thread_lower_priority(); // the program `shoal clip` inherits the low priority
  e->is_saved = recording_excerpt_write(e->data, e->recording, &e->error);
  e->is_rendering = e->is_saved && e->clip[0] && child_begin_program(&e->child, LIMIT_MS, e->arguments.items);
  atomic_store(&e->is_written, true);
  return NULL;
}

// --- starting

static void add_argument(clip_arguments_t *a, const char *argument) {
  shoal_assert(a->count + 1 < EXCERPTS_MAX_ARGUMENTS, "too many arguments: %u", a->count);
  a->items[a->count++] = argument;
}

// Writes the size of the clip: CLIP_HEIGHT with the game's aspect ratio, or the game's own size if it is small.
static void write_size(const vm_game_t *config, char *out, size_t bytes) {
  int height = config->height <= MAX_WHOLE_HEIGHT ? config->height : CLIP_HEIGHT;
  snprintf(out, bytes, "%dx%d", (int)lround((double)height * config->width / config->height), height);
}

static void fill_arguments(const session_t *s, excerpt_t *e) {
  const options_t *o = &s->options;
  clip_arguments_t *a = &e->arguments;
  snprintf(a->folder, sizeof a->folder, "%s", s->folder);
  write_size(&s->game->config, a->size, sizeof a->size);
  const char *items[] = {o->program, "clip",  "--replay", e->recording, "--last",
                         CLIP_S,     "--out", e->clip,    "--size",     a->size};
  for (size_t i = 0; i < sizeof items / sizeof *items; ++i)
    add_argument(a, items[i]);
  if (o->package) // a package contains its game
    return;
  add_argument(a, a->folder);
  if (o->trust)
    add_argument(a, "--trust");
  if (o->memory_mb) {
    snprintf(a->memory_mb, sizeof a->memory_mb, "%llu", (unsigned long long)o->memory_mb);
    add_argument(a, "--memory");
    add_argument(a, a->memory_mb);
  }
  for (uint32_t i = 0; i < o->plugin_count; ++i) {
    add_argument(a, "--plugin");
    add_argument(a, o->plugins[i]);
  }
}

// --- file names

// Stores the path of the files without their extension: shoal-TICK in the current folder. In a package, the name is the
// local time, in the folder for clips of the package's game. Returns true on success, or false with a message if that
// folder cannot be created.
static bool find_name(const session_t *s, char *out, size_t bytes, error_info_t *error) {
  char folder[PATH_MAX_BYTES], relative[128], date[32];
  const package_t *package = s->options.package;
  time_t now = time(NULL);
  struct tm local;
  if (!package) {
    snprintf(out, bytes, "shoal-%llu", (unsigned long long)world_tick(s->game->world));
    return true;
  }
  snprintf(relative, sizeof relative, "shoal/clips/%s", package->id);
  if (user_folder_find(USER_FOLDER_DATA, relative, folder, sizeof folder) < 0)
    return error_set(error, "no folder for clips found: set HOME");
  if (!file_create_folders(folder, error))
    return false;
  strftime(date, sizeof date, "%Y-%m-%d %H-%M-%S", localtime_r(&now, &local));
  snprintf(out, bytes, "%s/%s", folder, date);
  return true;
}

static void report_failure(session_t *s, const char *recording, const char *message) {
  log_error(s->log, "%s: %s", recording, message);
  if (s->options.package)
    notice_add(&s->notices, NOTICE_BAD, "The clip could not be saved");
  else
    notice_add(&s->notices, NOTICE_BAD, "Recording not saved: %s", message);
}

static void end_excerpt(excerpt_t *e) {
  recording_excerpt_destroy(e->data);
  e->data = NULL;
  e->phase = EXCERPT_NONE;
}

static void begin_writing(session_t *s, excerpt_t *e) {
  if (thread_start(&e->thread, write_on_thread, e)) {
    e->phase = EXCERPT_WRITING;
    return;
  }
  report_failure(s, e->recording, "cannot start a thread");
  end_excerpt(e);
}

// Returns a free item for the recording. Returns NULL with a message if the same recording or its clip is still in
// progress, or if all items are in use.
static excerpt_t *find_free(session_t *s, const char *recording, error_info_t *error) {
  excerpt_t *found = NULL;
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i) {
    excerpt_t *e = &s->excerpts.items[i];
    if (e->phase == EXCERPT_NONE)
      found = e;
    else if (strcmp(e->recording, recording) == 0) {
      error_set(error, "it has been saved already, and its clip is still being rendered");
      return NULL;
    }
  }
  if (!found)
    error_set(error, "%d clips are still being rendered", EXCERPTS_MAX);
  return found;
}

// Returns the reason why the run keeps no recording, for users.
static const char *get_obstacle(const session_t *s) {
  if (s->recording.replay)
    return "this run replays a recording, which can be copied instead";
  return "the history is disabled: set history in game.lua, or pass --history MB";
}

// Fills the item with a copy of the last seconds, and with the arguments for the clip. Returns true on success, or
// false with a message.
static bool begin_excerpt(session_t *s, excerpt_t *e, const char *name, error_info_t *error) {
  scrub_end(s);
  *e = (excerpt_t){.phase = EXCERPT_PACKING};
  snprintf(e->recording, sizeof e->recording, "%s.replay", name);
  e->data = recorder_copy_excerpt(s->recording.recorder, s->time.timelines.current.snapshots, s->game->world, error);
  if (!e->data)
    return false;
  e->has_ticks = recording_excerpt_has_ticks(e->data);
  if (e->has_ticks && !s->options.root) // an embedding program has no command `clip`
    snprintf(e->clip, sizeof e->clip, "%s.webp", name);
  fill_arguments(s, e);
  return true;
}

void excerpts_add(session_t *s) {
  error_info_t error = {0};
  char name[PATH_MAX_BYTES + 64], recording[sizeof s->excerpts.items[0].recording] = "recording";
  if (!s->game)
    return;
  if (!find_name(s, name, sizeof name, &error)) {
    report_failure(s, recording, error.text);
    return;
  }
  snprintf(recording, sizeof recording, "%s.replay", name);
  if (!s->recording.recorder) {
    report_failure(s, recording, get_obstacle(s));
    return;
  }
  excerpt_t *e = find_free(s, recording, &error);
  if (!e) {
    report_failure(s, recording, error.text);
    return;
  }
  if (!begin_excerpt(s, e, name, &error)) {
    report_failure(s, recording, error.text);
    end_excerpt(e);
  }
}

// --- results

static void notify_saved(session_t *s, const excerpt_t *e) {
  const char *what = s->options.package ? "The" : "Recording saved. The";
  if (e->is_rendering)
    notice_add(&s->notices, NOTICE_PLAIN, "%s clip is being rendered …", what);
  else if (e->has_ticks)
    notice_add(&s->notices, NOTICE_PLAIN, "Recording saved");
  else
    notice_add(&s->notices, NOTICE_PLAIN, "%s clip would be empty: no tick has passed since the last change", what);
}

static void report_missing_clip(session_t *s, const excerpt_t *e) {
  log_error(s->log, "the clip %s was not rendered: to see the reason, run shoal clip %s --replay %s --out %s", e->clip,
            e->arguments.folder, e->recording, e->clip);
  notice_add(&s->notices, NOTICE_BAD, "The clip was not rendered%s", s->options.package ? "" : ": see the log");
}

// Waits for the thread that writes the recording, and reports the result.
static void finish_writing(session_t *s, excerpt_t *e) {
  pthread_join(e->thread, NULL);
  end_excerpt(e);
  if (!e->is_saved) {
    report_failure(s, e->recording, e->error.text);
    return;
  }
  log_info(s->log, "saved the last seconds to %s: replay them with --replay %s", e->recording, e->recording);
  notify_saved(s, e);
  if (e->is_rendering)
    e->phase = EXCERPT_RENDERING;
  else if (e->clip[0])
    report_missing_clip(s, e);
}

static void report_clip(session_t *s, excerpt_t *e) {
  int signal = 0;
  child_end(&e->child);
  e->phase = EXCERPT_NONE;
  if (child_has_crashed(&e->child, &signal) || child_exit_code(&e->child) != 0) {
    report_missing_clip(s, e);
    return;
  }
  log_info(s->log, "saved the clip %s", e->clip);
  notice_add(&s->notices, NOTICE_GOOD, "Clip saved");
  if (s->options.package) // players do not need the recording
    remove(e->recording);
}

void excerpts_poll(session_t *s) {
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i) {
    excerpt_t *e = &s->excerpts.items[i];
    if (e->phase == EXCERPT_PACKING && recording_excerpt_is_complete(e->data, false))
      begin_writing(s, e);
    else if (e->phase == EXCERPT_WRITING && atomic_load(&e->is_written))
      finish_writing(s, e);
    else if (e->phase == EXCERPT_RENDERING && child_is_readable(&e->child))
      report_clip(s, e);
  }
}

void excerpts_end(session_t *s) {
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i) {
    excerpt_t *e = &s->excerpts.items[i];
    if (e->phase == EXCERPT_PACKING && recording_excerpt_is_complete(e->data, true))
      begin_writing(s, e);
    if (e->phase == EXCERPT_WRITING)
      finish_writing(s, e);
    if (e->phase == EXCERPT_RENDERING)
      child_detach(&e->child);
    e->phase = EXCERPT_NONE;
  }
}
