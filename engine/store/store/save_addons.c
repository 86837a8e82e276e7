// Rejects a save that contains parts of add-ons that the game does not use, unless these add-ons are to be dropped.
#include "store/save_addons.h"

#include "base/assert.h"
#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

bool save_addons_write(sqlite3 *db, const addon_list_t *addons, error_info_t *error) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < addons->count; ++i)
    sqlite3_str_appendf(text, "%s %s\n", addons->items[i].name, addons->items[i].version);
  char *lines = sqlite3_str_finish(text);
  bool ok = save_execute_statement(db, error, "INSERT INTO save.meta VALUES ('addons', %Q)", lines ? lines : "");
  sqlite3_free(lines);
  return ok;
}

bool save_addons_read(sqlite3 *db, addon_list_t *out, error_info_t *error) {
  sqlite3_stmt *statement;
  const char *line = save_read_meta(db, &statement, "addons");
  bool ok = true;
  while (ok && line && *line) {
    char name[sizeof out->items->name] = "", version[sizeof out->items->version] = "";
    ok = sscanf(line, "%63[^ \n] %31[^\n]", name, version) == 2 && addon_list_add(out, name, version);
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  sqlite3_finalize(statement);
  return ok || error_set(error, "the list of add-ons is damaged");
}

// --- contents

typedef struct contents_t {
  char text[300]; // "4 entities; components: score.glow, score.points; singletons: score.total"; "" if empty
} contents_t;

static void append_text(contents_t *contents, const char *separator, const char *text) {
  size_t length = strlen(contents->text);
  snprintf(contents->text + length, sizeof contents->text - length, "%s%s", length ? separator : "", text);
}

// Appends the names of an add-on's components that have rows in the save. If `singletons` is true, appends the names of
// its singletons instead. After MAX_NAMES names, appends only the number of remaining names. Returns true on success,
// or false with an error.
static bool append_components(sqlite3 *db, const char *addon, bool singletons, contents_t *contents,
                              error_info_t *error) {
  enum { MAX_NAMES = 4 };
  sqlite3_stmt *statement;
  char text[COMPONENT_NAME_MAX + 32];
  int count = 0;
  int code = save_prepare_statement(
      db, &statement,
      "SELECT name FROM save.components WHERE rows > 0 AND (kind = 'single') = %d AND substr(name, 1, %d) = %Q || '.' "
      "ORDER BY name",
      singletons, (int)strlen(addon) + 1, addon);
  while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(statement, 0),
               *title = singletons ? "singletons" : "components";
    snprintf(text, sizeof text, "%s%s%.*s", count == 0 ? title : "", count == 0 ? ": " : "", COMPONENT_NAME_MAX - 1,
             name ? name : "?");
    if (count++ < MAX_NAMES)
      append_text(contents, count == 1 ? "; " : ", ", text);
  }
  if (count > MAX_NAMES) {
    snprintf(text, sizeof text, " and %d more", count - MAX_NAMES);
    append_text(contents, "", text);
  }
  bool ok = code == SQLITE_DONE || error_set(error, "cannot read the list of components: %s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

// Lists the parts of an add-on that the open save contains. Returns true on success, or false with an error.
static bool describe_contents(sqlite3 *db, const char *addon, contents_t *out, error_info_t *error) {
  int64_t entities = 0;
  *out = (contents_t){.text = ""};
  if (!save_read_number(db, 0, &entities, error,
                        "SELECT count(*) FROM save.entities WHERE substr(assemblage, 1, %d) = %Q || '.'",
                        (int)strlen(addon) + 1, addon))
    return false;
  if (entities > 0)
    snprintf(out->text, sizeof out->text, "%lld entit%s", (long long)entities, entities == 1 ? "y" : "ies");
  return append_components(db, addon, false, out, error) && append_components(db, addon, true, out, error);
}

// --- checking

typedef struct missing_addons_t {
  char parts[600], options[200];
  uint32_t count;
} missing_addons_t;

static void add_missing(missing_addons_t *missing, const addon_entry_t *addon, const contents_t *contents) {
  size_t length = strlen(missing->parts);
  snprintf(missing->parts + length, sizeof missing->parts - length, "%s%s %s (%s)", length ? ", " : "", addon->name,
           addon->version, contents->text);
  length = strlen(missing->options);
  snprintf(missing->options + length, sizeof missing->options - length, " --drop-addon %s", addon->name);
  missing->count++;
}

// Warns about names in --drop-addon that have no effect.
static void warn_about_unused_names(const addon_list_t *saved, const addon_list_t *game_addons,
                                    const save_bytes_t *save, log_o *log) {
  for (uint32_t i = 0; save->drop_addons && i < save->drop_addons->count; ++i) {
    const char *name = save->drop_addons->items[i].name;
    char hint[NEAREST_NAME_MAX_BYTES + 32];
    nearest_name_t nearest;
    nearest_name_init(&nearest, name);
    for (uint32_t k = 0; k < saved->count; ++k)
      nearest_name_offer(&nearest, saved->items[k].name);
    if (addon_list_find(game_addons, name))
      log_warn(log, "--drop-addon %s: the game uses this add-on: remove the add-on from addons in game.lua", name);
    else if (!addon_list_find(saved, name))
      log_warn(log, "--drop-addon %s: %s has no add-on of this name%s", name, save->name,
               nearest_name_hint(&nearest, hint, sizeof hint));
  }
}

static bool check_addons(sqlite3 *db, const addon_list_t *saved, const addon_list_t *game_addons,
                         const save_bytes_t *save, log_o *log, addon_list_t *dropped, missing_addons_t *missing,
                         error_info_t *error) {
  for (uint32_t i = 0; i < saved->count; ++i) {
    const addon_entry_t *addon = &saved->items[i];
    contents_t contents;
    if (addon_list_find(game_addons, addon->name))
      continue;
    if (!describe_contents(db, addon->name, &contents, error))
      return false;
    if (save->drops_missing_addons || (save->drop_addons && addon_list_find(save->drop_addons, addon->name))) {
      addon_list_add(dropped, addon->name, addon->version);
      log_info(log, "dropped the add-on %s %s: %s", addon->name, addon->version,
               contents.text[0] ? contents.text : "the save contains no data of this add-on");
    } else if (contents.text[0]) {
      add_missing(missing, addon, &contents);
    }
  }
  return true;
}

bool save_addons_check(sqlite3 *db, const addon_list_t *game_addons, const save_bytes_t *save, log_o *log,
                       addon_list_t *dropped, error_info_t *error) {
  shoal_assert(dropped->count == 0, "the list of dropped add-ons must be empty, but has %u", dropped->count);
  addon_list_t saved = {0};
  missing_addons_t missing = {.count = 0};
  error_info_t reason = {0};
  if (!save_addons_read(db, &saved, &reason))
    return error_set(error, "%s is damaged: %.900s", save->name, reason.text);
  warn_about_unused_names(&saved, game_addons, save, log);
  if (!check_addons(db, &saved, game_addons, save, log, dropped, &missing, &reason))
    return error_set(error, "%s is damaged: %.900s", save->name, reason.text);
  if (missing.count == 0)
    return true;
  bool is_single = missing.count == 1;
  return error_set(error,
                   "%.200s contains parts of %s that this game does not use: %s: add %s to addons in game.lua, or pass"
                   "%s to load the save without these parts",
                   save->name, is_single ? "an add-on" : "add-ons", missing.parts, is_single ? "it" : "them",
                   missing.options);
}

// --- dropping

void save_addons_destroy_entities(world_o *w, const addon_list_t *dropped) {
  const entities_t *s = world_entities(w);
  if (dropped->count == 0)
    return;
  world_defer_begin(w, 0);
  for (uint32_t i = 1; i < s->used; ++i) {
    const char *assemblage = s->alive[i] ? strings_text(world_strings(w), s->assemblage[i]) : "";
    if (addon_list_find_owner(dropped, assemblage))
      world_destroy_entity(w, i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS);
  }
  world_defer_end(w, false);
}
