// The child process of F12, and the notices about its files.
#include "session/excerpts.h"

#include "base/assert.h"
#include "process/jobs.h"
#include "process/supervised_program.h"
#include "process/threads.h"
#include "session/session.h"
#include "watchdog/watchdog.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define LIMIT_MS (10u * 60u * 1000u) // CPU time for the recording and its clip
#define CLIP_S "10"
#define CLIP_HEIGHT 270
#define MAX_WHOLE_HEIGHT 360 // games up to this logical height, such as pixel art, are not scaled
#define MAX_ARGUMENTS (24 + 2 * OPTIONS_MAX_PLUGINS)
#define FIRST_INHERITED_FILE 3 // standard streams have smaller numbers
#define MAX_FILES 4096

// Sent by the child once the recording is written.
typedef struct message_t {
  bool is_saved;
  char error[256];
} message_t;

typedef struct excerpt_input_t {
  session_t *session;
  const excerpt_t *excerpt;
} excerpt_input_t;

// --- child

// Returns true if the recording was written. Before the first tick after a start or a reload, it contains only the
// current state.
static bool write_recording(session_t *s, const char *path, error_info_t *error) {
  history_o *history = s->time.timelines.current.snapshots;
  if (history)
    history_recover(history); // the packing thread does not exist in this process
  snapshot_o *current = snapshot_create(&s->memory);
  return snapshot_take(current, s->game->world, error) &&
         recorder_write_excerpt(s->recording.recorder, history, current, path, error);
}

// Closes the parent's files and sockets when the program is replaced, except the pipe, whose end tells the parent that
// the clip is finished.
static void close_inherited_files(int pipe_end) {
  for (int file = FIRST_INHERITED_FILE; file < MAX_FILES; ++file)
    if (file != pipe_end)
      fcntl(file, F_SETFD, FD_CLOEXEC);
}

// Writes the size of the clip: CLIP_HEIGHT with the game's aspect ratio, or the game's own size if it is small.
static void write_size(const vm_game_t *config, char *out, size_t bytes) {
  int height = config->height <= MAX_WHOLE_HEIGHT ? config->height : CLIP_HEIGHT;
  snprintf(out, bytes, "%dx%d", (int)lround((double)height * config->width / config->height), height);
}

static void replace_by_clip(const session_t *s, const excerpt_t *e, int pipe_end) {
  const options_t *o = &s->options;
  const char *arguments[MAX_ARGUMENTS] = {o->program, "clip", s->folder, "--replay", e->recording,
                                          "--last",   CLIP_S, "--out",   e->clip,    "--size"};
  char size[32], memory_mb[32];
  int count = 10;
  write_size(&s->game->config, size, sizeof size);
  arguments[count++] = size;
  if (o->trust)
    arguments[count++] = "--trust";
  if (o->memory_mb) {
    snprintf(memory_mb, sizeof memory_mb, "%llu", (unsigned long long)o->memory_mb);
    arguments[count++] = "--memory";
    arguments[count++] = memory_mb;
  }
  for (uint32_t i = 0; i < o->plugin_count; ++i) {
    arguments[count++] = "--plugin";
    arguments[count++] = o->plugins[i];
  }
  shoal_assert(count < MAX_ARGUMENTS, "too many arguments: %d", count);
  close_inherited_files(pipe_end);
  supervised_replace_process((char *const *)(uintptr_t)arguments);
  _exit(127);
}

static void run_in_child(void *context, int pipe_end) {
  const excerpt_input_t *input = context;
  session_t *s = input->session;
  message_t message = {0};
  error_info_t error = {0};
  thread_lower_priority();
  log_mute(s->log, true);
  watchdog_reset_after_fork();
  jobs_reset_after_fork(s->game->desc.jobs);
  message.is_saved = write_recording(s, input->excerpt->recording, &error);
  snprintf(message.error, sizeof message.error, "%.255s", error.text);
  child_write(pipe_end, &message, sizeof message);
  if (message.is_saved && input->excerpt->clip[0])
    replace_by_clip(s, input->excerpt, pipe_end);
}

// --- host

static void report_failure(session_t *s, const excerpt_t *e, const char *message) {
  log_error(s->log, "%s: %s", e->recording, message);
  notice_add(&s->notices, NOTICE_BAD, "Recording not saved: %s", message);
}

static excerpt_t *find_free(session_t *s) {
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i)
    if (!s->excerpts.items[i].is_running)
      return &s->excerpts.items[i];
  return NULL;
}

void excerpts_add(session_t *s) {
  error_info_t error = {0};
  excerpt_t *e = find_free(s);
  if (!s->game || !s->recording.recorder)
    return;
  if (!e) {
    notice_add(&s->notices, NOTICE_BAD, "Recording not saved: %d clips are still being rendered", EXCERPTS_MAX);
    return;
  }
  *e = (excerpt_t){.is_saved = false};
  unsigned long long tick = world_tick(s->game->world);
  snprintf(e->recording, sizeof e->recording, "shoal-%llu.replay", tick);
  if (!s->options.root && !s->options.package) // otherwise this program has no command `clip`
    snprintf(e->clip, sizeof e->clip, "shoal-%llu.webp", tick);
  scrub_end(s);
  e->has_ticks = recorder_has_recent_ticks(s->recording.recorder);
  if (!e->has_ticks)
    e->clip[0] = 0;
  if (!plugins_stop_threads(&error)) // they restart in the next frame
    report_failure(s, e, error.text);
  else if (!child_begin(&e->child, LIMIT_MS, run_in_child, &(excerpt_input_t){s, e}))
    report_failure(s, e, "cannot start a process");
  else
    e->is_running = true;
}

static void notify_saved(session_t *s, const excerpt_t *e) {
  if (e->clip[0])
    notice_add(&s->notices, NOTICE_PLAIN, "Saved %s, rendering its clip …", e->recording);
  else if (e->has_ticks)
    notice_add(&s->notices, NOTICE_PLAIN, "Saved %s", e->recording);
  else
    notice_add(&s->notices, NOTICE_PLAIN, "Saved %s without a clip: no tick has passed since the last change",
               e->recording);
}

static void receive_message(session_t *s, excerpt_t *e) {
  message_t message = {.error = "the process that wrote it has exited"};
  e->is_saved = !e->child.late && child_read(&e->child, &message, sizeof message) && message.is_saved;
  if (e->is_saved) {
    log_info(s->log, "saved the last seconds to %s: replay them with --replay %s", e->recording, e->recording);
    notify_saved(s, e);
    return;
  }
  child_end(&e->child);
  e->is_running = false;
  report_failure(s, e, message.error);
}

static void report_clip(session_t *s, excerpt_t *e) {
  int signal = 0;
  child_end(&e->child);
  e->is_running = false;
  if (!e->clip[0])
    return;
  if (!child_has_crashed(&e->child, &signal) && child_exit_code(&e->child) == 0) {
    log_info(s->log, "saved the clip %s", e->clip);
    notice_add(&s->notices, NOTICE_GOOD, "Saved %s", e->clip);
    return;
  }
  log_error(s->log, "the clip %s was not rendered: to see the reason, run shoal clip %s --replay %s --out %s", e->clip,
            s->folder, e->recording, e->clip);
  notice_add(&s->notices, NOTICE_BAD, "The clip was not rendered: see the log");
}

void excerpts_poll(session_t *s) {
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i) {
    excerpt_t *e = &s->excerpts.items[i];
    if (!e->is_running || !child_is_readable(&e->child))
      continue;
    if (!e->is_saved)
      receive_message(s, e);
    else
      report_clip(s, e);
  }
}

void excerpts_end(session_t *s) {
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i)
    if (s->excerpts.items[i].is_running)
      child_detach(&s->excerpts.items[i].child);
  s->excerpts = (excerpts_t){0};
}
