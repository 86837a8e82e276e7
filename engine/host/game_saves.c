// Where a game's saves lie, loading with migrations, saving, and the autosave that a thread writes.
#include "host/game_saves.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/similar.h"
#include "host/host_internal.h"
#include "host/host_tools.h"
#include "state/state.h"
#include "store/save.h"
#include "store/save_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SETTINGS[] = "game.settings"; // and what begins so: no name of a scene does

// A save belongs to a game by its id: what game.lua says, or else the name of its folder, wherever that lies.
static const char *id_of(const game_o *g) {
  const char *slash = strrchr(g->folder, '/');
  return g->facts.id[0] ? g->facts.id : slash ? slash + 1 : g->folder;
}

static const char *game_name(const host_o *h) {
  return id_of(h->game);
}

// --- migrations

static bool run_migration(host_o *h, const char *name, error_t *error) {
  char path[PATH_MAX_BYTES + 300], chunk[300];
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

typedef struct load_t {
  host_o *host;
  save_bytes_t save;
  save_unknowns_o *attic;
} load_t;

// Those of the game that the save has not been through, in the order of their names.
static bool run_migrations(void *context, error_t *error) {
  const load_t *l = context;
  host_o *h = l->host;
  file_list_t list = {0};
  char folder[PATH_MAX_BYTES + 16];
  path_join(folder, sizeof folder, h->folder, "migrations");
  if (!file_is_folder(folder))
    return true;
  if (!file_list(&h->memory, folder, ".lua", &list, error) || !sql_attach_save(h->game->sql, &l->save, error)) {
    file_list_free(&h->memory, &list);
    return false;
  }
  bool fine = true;
  for (uint32_t i = 0; fine && i < list.count; ++i)
    if (!save_unknowns_has_migration(l->attic, list.paths[i]))
      fine = run_migration(h, list.paths[i], error) && (save_unknowns_add_migration(l->attic, list.paths[i]) ||
                                                        error_set(error, "there are too many migrations"));
  sql_detach_save(h->game->sql);
  file_list_free(&h->memory, &list);
  return fine;
}

// The save, then the migrations; all of it or nothing.
// `name` stands for the file in what is said about it.
static bool load(host_o *h, const char *name, const void *bytes, size_t size, error_t *error) {
  time_travel_keep(h);
  world_o *w = h->game->world;
  load_t l = {.host = h, .attic = save_unknowns_create()};
  l.save = (save_bytes_t){.name = name,
                          .bytes = bytes,
                          .size = size,
                          .budget_ms = vm_budget_ms(h->game->vm, SCRIPT_BUDGET_LOAD),
                          .then = run_migrations,
                          .then_context = &l};
  save_unknowns_set_migrate(l.attic, vm_migrate, h->game->vm);
  bool fine = save_read_bytes(w, game_name(h), &l.save, host_accepts_edits(h), l.attic, error);
  save_unknowns_destroy(fine ? h->game->attic : l.attic);
  if (fine)
    h->game->attic = l.attic;
  world_set_tick_rate(w, h->game->facts.tick_rate); // the save's came with its world
  timelines_interrupt(&h->past, w);
  return fine;
}

static bool load_answer(host_o *h, const outside_answer_t *a, const char *name, error_t *error) {
  if (!a->found)
    return error_set(error, "%.*s", (int)(a->size < 1000 ? a->size : 1000), (const char *)a->bytes);
  return load(h, name, a->bytes, a->size, error);
}

static bool read_path(void *context, const char *key, allocator_t *a, void **bytes, size_t *size, error_t *error) {
  (void)key;
  *bytes = file_read(a, context, size, error);
  return *bytes != NULL;
}

static bool load_recorded(host_o *h, error_t *error) {
  error_t why = {0};
  const outside_answer_t *a = outside_ask(h->outside, OUTSIDE_LOAD, "", read_path, NULL);
  return load_answer(h, a, "its save", &why) || error_set(error, "%.300s: %.700s", h->options.replay, why.text);
}

// In a replay the save is the recording's, and what --load says is no matter.
bool game_saves_load_first(host_o *h, error_t *error) {
  const char *name = h->options.load;
  bool played = h->replay && !recording_snapshot(h->replay) && outside_recorded(h->outside, OUTSIDE_LOAD, 0);
  if (!h->game || (!played && !name)) // what keeps a game from starting has been said
    return true;
  if (played)
    return load_recorded(h, error);
  if (h->replay) {
    size_t size = 0;
    char *bytes = file_read(&h->memory, name, &size, error);
    bool fine = bytes && load(h, name, bytes, size, error);
    if (fine)
      outside_note(h->outside, OUTSIDE_LOAD, "", true, bytes, size);
    file_free(&h->memory, bytes, size);
    return fine;
  }
  return load_answer(h, outside_ask(h->outside, OUTSIDE_LOAD, "", read_path, (void *)(uintptr_t)name), name, error);
}

bool host_save(host_o *h, const char *path, error_t *error) {
  return h->game ? save_write(h->game->world, game_name(h), path, h->game->attic, error)
                 : error_set(error, "the game could not start");
}

bool host_load(host_o *h, const char *path, error_t *error) {
  size_t size = 0;
  if (!h->game || h->replay || h->options.record)
    return error_set(error, "%s",
                     !h->game    ? "the game could not start"
                     : h->replay ? "a recording is played, and what is played cannot be changed"
                                 : "a recording is made, which holds no save that comes from outside");
  char *bytes = file_read(&h->memory, path, &size, error);
  bool fine = bytes && load(h, path, bytes, size, error);
  file_free(&h->memory, bytes, size);
  return fine;
}

void game_saves_save_last(host_o *h) {
  error_t error = {0};
  if (h->options.save && !save_write(h->game->world, game_name(h), h->options.save, h->game->attic, &error)) {
    log_error(h->log, "--save: %s", error.text);
    h->exit_code = 1;
  }
  if (h->options.scene && !scene_files_export(h->game->world, h->options.scene, &error)) {
    log_error(h->log, "--export: %s", error.text);
    h->exit_code = 1;
  }
}

// --- from scripts

// Two games may have folders of one name: whose saves these are stands beside them. An id in game.lua says it better.
static bool check_title(const game_o *g, const char *folder, error_t *error) {
  allocator_t memory = {0};
  char path[PATH_MAX_BYTES + 8];
  size_t size = 0;
  path_join(path, sizeof path, folder, ".title");
  char *title = g->facts.id[0] || !file_exists(path) ? NULL : file_read(&memory, path, &size, NULL);
  bool same = !title || strcmp(title, g->facts.title) == 0;
  if (!same)
    error_set(
        error,
        "the saves of %s belong to the game “%.60s”, and this one is “%.60s”: give it an id of its own in game.lua, "
        "or id = \"%s\" if it is the same game",
        id_of(g), title, g->facts.title, id_of(g));
  file_free(&memory, title, size);
  return same && (file_exists(path) || file_write(path, g->facts.title, strlen(g->facts.title), error));
}

// Where the saves of a game lie: $XDG_DATA_HOME/shoal/saves/ID, or below ~/.local/share.
static bool folder_of(const game_o *g, char *out, size_t bytes, error_t *error) {
  char below[sizeof "shoal/saves/" + PATH_MAX_BYTES];
  snprintf(below, sizeof below, "shoal/saves/%s", id_of(g));
  int length = file_user_folder(out, bytes, "XDG_DATA_HOME", ".local/share", below);
  if (length < 0)
    return error_set(error, "there is no folder for saves: set HOME or XDG_DATA_HOME");
  return (length > 0 && (size_t)length < bytes) || error_set(error, "the path of the folder for saves is too long");
}

bool game_saves_path(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes, error_t *error) {
  char folder[PATH_MAX_BYTES];
  if (!folder_of(g, folder, sizeof folder, error) || !file_make_folders(folder, error) ||
      !check_title(g, folder, error))
    return false;
  int length = snprintf(out, bytes, "%s/%s%s", folder, name, suffix);
  return (length > 0 && (size_t)length < bytes) || error_set(error, "the path of %s%s is too long", name, suffix);
}

const char *game_saves_hint(const char *path, const char *name, const char *suffix, char *out) {
  shoal_assert(strlen(path) > strlen(name) + strlen(suffix), "%s does not end with /%s%s", path, name, suffix);
  char folder[PATH_MAX_BYTES + 80];
  allocator_t memory = {0};
  file_list_t list = {0};
  similar_t meant;
  similar_begin(&meant, name);
  snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen(name) - strlen(suffix) - 1), path);
  if (file_list(&memory, folder, suffix, &list, NULL))
    for (uint32_t i = 0; i < list.count; ++i) {
      char known[SIMILAR_MOST];
      snprintf(known, sizeof known, "%.*s", (int)(strlen(list.paths[i]) - strlen(suffix)), list.paths[i]);
      similar_offer(&meant, known);
    }
  file_list_free(&memory, &list);
  return similar_hint(&meant, out, SIMILAR_MOST + 32);
}

static bool save_path(const host_o *h, const char *name, char *out, size_t bytes, error_t *error) {
  return game_saves_path(h->game, name, ".sqlite", out, bytes, error);
}

static void say(host_o *h, bool fine, const char *what, const char *name, const error_t *error) {
  if (fine) {
    log_info(h->log, "%s %s", what, name);
    toast_add(&h->toasts, TOAST_GOOD, "%s %s", what, name);
    return;
  }
  log_error(h->log, "not %s: %s", what, error->text);
  if (h->options.package) // a player has no use for the rest
    toast_add(&h->toasts, TOAST_BAD, "Not %s: %s", what,
              strcmp(what, "loaded") == 0 ? "it is damaged, or of another version"
                                          : "is the disk full, or its folder read-only?");
  else
    toast_add(&h->toasts, TOAST_BAD, "Not %s: %.150s", what, error->text);
  if (h->options.headless || h->options.strict)
    h->exit_code = 1;
}

bool game_saves_read(void *context, const char *name, allocator_t *a, void **bytes, size_t *size, error_t *error) {
  char path[PATH_MAX_BYTES + 80], hint[SIMILAR_MOST + 32];
  *bytes = NULL;
  if (!game_saves_path(context, name, ".sqlite", path, sizeof path, error))
    return false;
  if (!file_is_there(path))
    return error_set(error, "there is no save called %s%s", name, game_saves_hint(path, name, ".sqlite", hint));
  *bytes = file_read(a, path, size, error);
  return *bytes != NULL;
}

bool game_saves_list(void *context, const char *key, allocator_t *a, void **bytes, size_t *size, error_t *error) {
  char folder[PATH_MAX_BYTES + 80];
  (void)key;
  *bytes = game_saves_path(context, "", "", folder, sizeof folder, error)
               ? save_list(a, folder, id_of(context), size, error)
               : NULL;
  return *bytes != NULL;
}

// What fails may have failed because it took too long: in a replay it fails by the same words.
static bool load_named(host_o *h, const char *name, error_t *error) {
  char path[PATH_MAX_BYTES + 80];
  const outside_answer_t *a = outside_ask(h->outside, OUTSIDE_SAVE, name, game_saves_read, h->game);
  bool fine = load_answer(h, a, save_path(h, name, path, sizeof path, NULL) ? path : name, error);
  if (!fine && a->found)
    outside_undo(h->outside, OUTSIDE_SAVE, name, error->text);
  return fine;
}

void game_saves_use_pictures(host_o *h) {
  if (!folder_of(h->game, h->assets.saves, sizeof h->assets.saves, NULL))
    h->assets.saves[0] = '\0';
}

// What was on the screen, beside the save that has just been written; who draws it shows the new one.
static void keep_picture(host_o *h, const char *save) {
  char path[PATH_MAX_BYTES + 80], name[80];
  error_t error = {0};
  bool lives = !h->replay && !h->rollback && !time_travel_plays(h);
  if (!lives || !game_saves_path(h->game, save, ".png", path, sizeof path, NULL))
    return;
  remove(path); // one of an earlier save would lie
  if (!render_thumbnail(h->render, path, &error)) {
    if (error.text[0])
      log_warn(h->log, "the picture of the save: %s", error.text);
    return;
  }
  snprintf(name, sizeof name, ASSETS_SAVE "%s", save);
  render_asset_changed(h->render, name, &error);
}

void game_saves_requests(host_o *h, const char *save, const char *drop, const char *wanted) {
  char path[PATH_MAX_BYTES + 80];
  error_t error = {0};
  char scene[80];
  // A replay, a check and a question write no settings (scripts/shoal/settings.lua).
  bool lives = !h->replay && !h->rollback && !h->options.sql;
  while (scene_files_write_next(h->game->scenes, lives ? NULL : SETTINGS, scene, sizeof scene, &error))
    if (error.text[0] || strncmp(scene, SETTINGS, sizeof SETTINGS - 1) != 0)
      say(h, !error.text[0], "exported", scene, &error);
  if (save[0]) {
    bool fine = save_path(h, save, path, sizeof path, &error) &&
                save_write(h->game->world, game_name(h), path, h->game->attic, &error);
    if (fine)
      keep_picture(h, save);
    say(h, fine, "saved", save, &error);
  }
  if (drop[0] && lives) {
    bool fine = save_path(h, drop, path, sizeof path, &error) &&
                (remove(path) == 0 || error_set(&error, "%s: %s", path, strerror(errno)));
    if (fine && game_saves_path(h->game, drop, ".png", path, sizeof path, NULL))
      remove(path);
    say(h, fine, "deleted", drop, &error);
  }
  if (wanted[0])
    say(h, load_named(h, wanted, &error), "loaded", wanted, &error);
}

// --- autosaves

void game_saves_autosave_end(host_o *h) {
  error_t error = {0};
  if (!h->autosave)
    return;
  if (save_later_end(h->autosave, &error))
    log_debug(h->log, "autosaved");
  else
    log_error(h->log, "autosave: %s", error.text);
  h->autosave = NULL;
}

void game_saves_autosave(host_o *h) {
  char path[PATH_MAX_BYTES + 80];
  error_t error = {0};
  const vm_game_t *facts = &h->game->facts;
  if (h->autosave && save_later_is_done(h->autosave))
    game_saves_autosave_end(h);
  uint64_t every = (uint64_t)facts->autosave_s * facts->tick_rate;
  if (every == 0 || h->autosave || world_tick(h->game->world) % every != 0)
    return;
  if (save_path(h, "autosave", path, sizeof path, &error))
    h->autosave = save_later_begin(h->game->world, game_name(h), path, h->game->attic, &error);
  if (h->autosave)
    keep_picture(h, "autosave");
  else
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
    shoal_assert(result.rest > text, "a statement of no length: %.60s", text);
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

bool game_saves_answers(const options_t *o, int *exit_code) {
  error_t error = {0};
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
