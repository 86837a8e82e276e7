#include "host/keep.h"

#include "base/files.h"
#include "ecs/snapshot.h"
#include "host/host_state.h"
#include "tools/save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A save belongs to a game by the name of its folder, which a new title does not change.
static const char *last_name(const char *folder) {
  const char *slash = strrchr(folder, '/');
  return slash ? slash + 1 : folder;
}

static const char *game_name(const host_o *h) {
  return last_name(h->folder);
}

// --- migrations

static bool run_migration(host_o *h, const char *name, error_t *error) {
  char path[PLACES_PATH_MAX + 300], chunk[300];
  script_report_t report = {0};
  size_t size = 0;
  snprintf(path, sizeof path, "%s/migrations/%s", h->folder, name);
  snprintf(chunk, sizeof chunk, "@migrations/%s", name);
  char *text = file_read(&h->memory, path, &size, error);
  if (!text)
    return false;
  bool fine = vm_exec(h->game->vm, text, chunk, NULL, 0, &report) ||
              error_set(error, "migrations/%s:%d: %s", name, report.line, report.message);
  file_free(&h->memory, text, size);
  if (fine)
    log_info(h->log, "an older save: ran migrations/%s", name);
  return fine;
}

// Those of the game that the save has not been through, in the order of their names.
static bool run_migrations(host_o *h, const char *path, save_attic_o *attic, error_t *error) {
  file_list_t list = {0};
  char folder[PLACES_PATH_MAX + 16];
  path_join(folder, sizeof folder, h->folder, "migrations");
  if (!file_is_folder(folder))
    return true;
  if (!file_list(&h->memory, folder, ".lua", &list, error) || !sql_attach_save(h->game->sql, path, error)) {
    file_list_free(&h->memory, &list);
    return false;
  }
  bool fine = true;
  for (uint32_t i = 0; fine && i < list.count; i++)
    if (!save_attic_has_migration(attic, list.paths[i]))
      fine = run_migration(h, list.paths[i], error) &&
             (save_attic_add_migration(attic, list.paths[i]) || error_set(error, "there are too many migrations"));
  sql_detach_save(h->game->sql);
  file_list_free(&h->memory, &list);
  return fine;
}

// The save, then the migrations; all of it or nothing.
static bool load(host_o *h, const char *path, error_t *error) {
  world_o *w = h->game->world;
  save_attic_o *attic = save_attic_create();
  save_attic_set_migrate(attic, vm_migrate, h->game->vm);
  snapshot_o *before = snapshot_create(&h->memory);
  bool fine =
      snapshot_take(before, w, error) && save_read(w, game_name(h), path, h->options.accept_edits, attic, error);
  if (fine && !run_migrations(h, path, attic, error)) {
    snapshot_restore(before, w, NULL);
    fine = false;
  }
  snapshot_release(before);
  save_attic_destroy(fine ? h->game->attic : attic);
  if (fine)
    h->game->attic = attic;
  return fine;
}

bool keep_load_first(host_o *h, error_t *error) {
  if (!h->options.load)
    return true;
  if (!h->game) // what keeps it from starting has been said
    return true;
  return load(h, h->options.load, error);
}

void keep_save_last(host_o *h) {
  error_t error = {{0}};
  if (h->options.save && !save_write(h->game->world, game_name(h), h->options.save, h->game->attic, &error)) {
    log_error(h->log, "--save: %s", error.text);
    h->exit_code = 1;
  }
  if (h->options.scene && !scenes_export(h->game->world, h->options.scene, &error)) {
    log_error(h->log, "--export: %s", error.text);
    h->exit_code = 1;
  }
}

// --- from scripts

static bool make_folder(char *path, error_t *error) {
  for (char *at = path + 1;; at++) {
    char end = *at;
    if (end != '/' && end != '\0')
      continue;
    *at = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return error_set(error, "%s: %s", path, strerror(errno));
    *at = end;
    if (end == '\0')
      return true;
  }
}

// Where the saves of a game lie: $XDG_DATA_HOME/shoal/saves/GAME, or below ~/.local/share.
bool keep_path(const char *game_folder, const char *name, const char *suffix, char *out, size_t bytes, error_t *error) {
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  char folder[PLACES_PATH_MAX];
  bool given = data && data[0] == '/';
  if (!given && (!home || home[0] != '/'))
    return error_set(error, "there is no folder for saves: set HOME or XDG_DATA_HOME");
  int length = snprintf(folder, sizeof folder, "%s%s/shoal/saves/%s", given ? data : home, given ? "" : "/.local/share",
                        last_name(game_folder));
  if (length < 0 || (size_t)length >= sizeof folder)
    return error_set(error, "the path of the folder for saves is too long");
  if (!make_folder(folder, error))
    return false;
  length = snprintf(out, bytes, "%s/%s%s", folder, name, suffix);
  return (length > 0 && (size_t)length < bytes) || error_set(error, "the path of %s%s is too long", name, suffix);
}

static bool save_path(const host_o *h, const char *name, char *out, size_t bytes, error_t *error) {
  return keep_path(h->folder, name, ".sqlite", out, bytes, error);
}

static void say(host_o *h, bool fine, const char *what, const char *name, const error_t *error) {
  if (fine) {
    log_info(h->log, "%s %s", what, name);
    toast_add(&h->toasts, TOAST_GOOD, "%s %s", what, name);
    return;
  }
  log_error(h->log, "not %s: %s", what, error->text);
  toast_add(&h->toasts, TOAST_BAD, "Not %s: %.150s", what, error->text);
  if (h->options.headless || h->options.strict)
    h->exit_code = 1;
}

void keep_requests(host_o *h, const char *save, const char *wanted) {
  char path[PLACES_PATH_MAX + 80];
  error_t error = {{0}};
  char scene[80];
  while (scenes_write_next(h->game->scenes, scene, sizeof scene, &error))
    say(h, !error.text[0], "exported", scene, &error);
  if (save[0]) {
    bool fine = save_path(h, save, path, sizeof path, &error) &&
                save_write(h->game->world, game_name(h), path, h->game->attic, &error);
    say(h, fine, "saved", save, &error);
  }
  if (wanted[0]) {
    bool fine = save_path(h, wanted, path, sizeof path, &error) && load(h, path, &error);
    say(h, fine, "loaded", wanted, &error);
  }
}

// --- autosaves

void keep_autosave_end(host_o *h) {
  error_t error = {{0}};
  if (!h->autosave)
    return;
  if (save_later_end(h->autosave, &error))
    log_debug(h->log, "autosaved");
  else
    log_error(h->log, "autosave: %s", error.text);
  h->autosave = NULL;
}

void keep_autosave(host_o *h) {
  char path[PLACES_PATH_MAX + 80];
  error_t error = {{0}};
  const vm_game_t *facts = &h->game->facts;
  if (h->autosave && save_later_is_done(h->autosave))
    keep_autosave_end(h);
  uint64_t every = (uint64_t)facts->autosave_s * facts->tick_rate;
  if (every == 0 || h->autosave || world_tick(h->game->world) % every != 0)
    return;
  if (save_path(h, "autosave", path, sizeof path, &error))
    h->autosave = save_later_begin(h->game->world, game_name(h), path, h->game->attic, &error);
  if (!h->autosave)
    log_error(h->log, "autosave: %s", error.text);
}

// --- without a game

static bool ask_all(save_file_o *f, const options_t *o, error_t *error) {
  const char *text = o->sql;
  for (size_t left = strlen(text); left > 0;) {
    sql_result_t result;
    sql_ask_t ask = {.text = text, .text_bytes = left, .several = true, .write = o->write};
    if (!save_file_sql(f, &ask, &result, error))
      return false;
    sql_print(&result, stdout);
    text = result.rest + strspn(result.rest, " \t\r\n;");
    left = strlen(text);
    sql_result_fini(&result);
  }
  return true;
}

static bool ask_file(const options_t *o, error_t *error) {
  if (o->ticks > 0)
    return error_set(error, "--ticks belongs to a game, and %s is a file", o->target);
  save_file_o *f = save_file_open(o->target, o->write, error);
  if (!f)
    return false;
  if (ask_all(f, o, error))
    return save_file_close(f, error);
  save_file_drop(f);
  return false;
}

bool keep_answers(const options_t *o, int *exit_code) {
  error_t error = {{0}};
  bool is_file = file_exists(o->target) && !file_is_folder(o->target), fine = true;
  if (o->word != OPTIONS_SQL || (!is_file && !o->write))
    return false;
  if (is_file)
    fine = ask_file(o, &error);
  else
    fine = error_set(&error, "--write belongs to a save, and %s is none: a game's world can be written as it is",
                     o->target);
  if (!fine)
    fprintf(stderr, "shoal: sql: %s\n", error.text);
  *exit_code = fine ? 0 : 2;
  return true;
}
