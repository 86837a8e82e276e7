// Compares the files on disk with the running game to assign failures of reloads to changes.
#include "host/refused_changes.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

// Reads the files of the game's folder and of the add-ons of the running game.
static sources_o *read_files(const game_o *g) {
  error_info_t error;
  sources_o *files = sources_create(g->folder, g->engine_folder, NULL);
  for (uint32_t i = 0; sources_addon_name(g->desc.sources, i); ++i)
    sources_add_addon(files, sources_addon_name(g->desc.sources, i), sources_addon_folder(g->desc.sources, i), &error);
  sources_seal(files, &error);
  return files;
}

static uint64_t hash_file(sources_o *files, const char *name) {
  size_t bytes = 0;
  const char *text = sources_has_file(files, name) ? sources_read_text(files, name, &bytes, NULL) : NULL;
  return text ? hash_bytes(text, bytes, 0) | 1 : 0;
}

static void free_change(refused_change_t *change, allocator_t *memory) {
  for (uint32_t i = 0; i < change->files.count; ++i)
    alloc_free_text(memory, change->files.items[i].name);
  array_free(memory, &change->files);
}

static void remove_change(refused_changes_t *r, allocator_t *memory, uint32_t i) {
  shoal_assert(i < r->changes.count, "change %u is out of range (count %u)", i, r->changes.count);
  r->held_files.count = 0; // the list borrows names of the change
  free_change(&r->changes.items[i], memory);
  memmove(r->changes.items + i, r->changes.items + i + 1, (--r->changes.count - i) * sizeof *r->changes.items);
}

void refused_changes_clear(refused_changes_t *r, allocator_t *memory) {
  while (r->changes.count > 0)
    remove_change(r, memory, r->changes.count - 1);
  array_free(memory, &r->changes);
  array_free(memory, &r->held_files);
  r->is_repeating = false;
}

void refused_changes_begin(refused_changes_t *r) {
  for (uint32_t i = 0; i < r->changes.count && !r->is_repeating; ++i)
    r->changes.items[i].is_held = false;
  r->held_files.count = r->is_repeating ? r->held_files.count : 0;
  r->is_repeating = false;
}

// Returns true if `files` contains the refused contents of all files of the change.
static bool contains_change(sources_o *files, const refused_change_t *change) {
  for (uint32_t i = 0; i < change->files.count; ++i)
    if (hash_file(files, change->files.items[i].name) != change->files.items[i].hash)
      return false;
  return true;
}

// Drops the changes that `files`, which were read from disk, do not contain. Returns true if any change was dropped.
static bool drop_changed(refused_changes_t *r, allocator_t *memory, sources_o *files) {
  uint32_t count = r->changes.count;
  for (uint32_t i = count; i > 0; --i)
    if (!contains_change(files, &r->changes.items[i - 1]))
      remove_change(r, memory, i - 1);
  return r->changes.count < count;
}

static bool is_in_change(const refused_changes_t *r, const char *name) {
  for (uint32_t i = 0; i < r->changes.count; ++i)
    for (uint32_t k = 0; k < r->changes.items[i].files.count; ++k)
      if (strcmp(r->changes.items[i].files.items[k].name, name) == 0)
        return true;
  return false;
}

// Adds the files that differ from the running game, and are not part of a refused change, to `change`.
static void add_new_files(const refused_changes_t *r, allocator_t *memory, sources_o *running, sources_o *files,
                          refused_change_t *change) {
  for (int pass = 0; pass < 2; ++pass) { // first the files on disk, then the deleted files
    sources_o *list = pass == 0 ? files : running;
    const char *name;
    for (uint32_t i = 0; (name = sources_file_name(list, i)) != NULL; ++i) {
      uint64_t hash = hash_file(files, name);
      if ((pass == 1 && hash != 0) || hash == hash_file(running, name) || is_in_change(r, name))
        continue;
      refused_file_t file = {.name = alloc_copy_text(memory, name), .hash = hash};
      array_push(memory, &change->files, file);
    }
  }
}

static bool has_new_files(const refused_changes_t *r, allocator_t *memory, sources_o *running, sources_o *files) {
  refused_change_t change = {0};
  add_new_files(r, memory, running, files, &change);
  bool has_files = change.files.count > 0;
  free_change(&change, memory);
  return has_files;
}

// Compares pieces and positions; without a line, also messages, which may contain values that change in each tick.
static bool is_same_failure(const script_report_t *a, const script_report_t *b) {
  if (strcmp(a->piece, b->piece) != 0 || strcmp(a->file, b->file) != 0 || a->line != b->line)
    return false;
  return a->line > 0 || strcmp(a->message, b->message) == 0;
}

// Returns the change that has caused the failure, or NULL if no change that is tried has caused it.
static refused_change_t *find_cause(refused_changes_t *r, const script_report_t *report) {
  for (uint32_t i = 0; i < r->changes.count; ++i)
    if (!r->changes.items[i].is_held && is_same_failure(&r->changes.items[i].report, report))
      return &r->changes.items[i];
  return NULL;
}

static void hold_change(refused_changes_t *r, allocator_t *memory, refused_change_t *change) {
  change->is_held = r->is_repeating = true;
  r->held_files.count = 0;
  for (uint32_t i = 0; i < r->changes.count; ++i)
    for (uint32_t k = 0; r->changes.items[i].is_held && k < r->changes.items[i].files.count; ++k)
      array_push(memory, &r->held_files, r->changes.items[i].files.items[k].name);
}

refused_verdict_t refused_changes_judge(refused_changes_t *r, allocator_t *memory, const game_o *running,
                                        const script_report_t *report, bool must_report) {
  if (r->changes.count == 0)
    return REFUSED_NEW;
  sources_o *files = read_files(running);
  bool has_dropped = drop_changed(r, memory, files);
  bool has_new = has_new_files(r, memory, running->desc.sources, files);
  sources_release(files);
  refused_change_t *cause = find_cause(r, report);
  if (has_new && cause)
    hold_change(r, memory, cause);
  if (has_new)
    return cause ? REFUSED_REPEAT : REFUSED_NEW;
  bool is_unexplained = !cause && (has_dropped || r->held_files.count == 0);
  return r->changes.count == 0 || must_report || is_unexplained ? REFUSED_NEW : REFUSED_KNOWN;
}

void refused_changes_add(refused_changes_t *r, allocator_t *memory, const game_o *running,
                         const script_report_t *report) {
  refused_change_t change = {0};
  sources_o *files = read_files(running);
  drop_changed(r, memory, files);
  add_new_files(r, memory, running->desc.sources, files, &change);
  refused_change_t *cause = change.files.count == 0 ? find_cause(r, report) : NULL;
  if (cause) {
    cause->report = *report;
    sources_release(files);
    return;
  }
  if (change.files.count == 0) { // an unknown combination of the refused changes fails: they become one change
    while (r->changes.count > 0)
      remove_change(r, memory, 0);
    add_new_files(r, memory, running->desc.sources, files, &change);
  }
  sources_release(files);
  if (change.files.count == 0) // not caused by a source file, for example by a plugin
    return;
  if (r->changes.count == ERROR_CARD_MAX_REPORTS)
    remove_change(r, memory, 0);
  change.report = *report;
  array_push(memory, &r->changes, change);
}

void refused_changes_drop_applied(refused_changes_t *r, allocator_t *memory, const game_o *fresh) {
  if (r->changes.count == 0)
    return;
  sources_o *files = read_files(fresh);
  drop_changed(r, memory, files);
  sources_release(files);
  for (uint32_t i = r->changes.count; i > 0; --i)
    if (contains_change(fresh->desc.sources, &r->changes.items[i - 1]))
      remove_change(r, memory, i - 1);
}

char *refused_changes_list_files(const refused_changes_t *r, bool only_held, char *out, size_t bytes) {
  shoal_assert(bytes > 0, "the buffer must not be empty");
  out[0] = '\0';
  for (uint32_t i = r->changes.count; i > 0; --i)
    for (uint32_t k = 0; k < r->changes.items[i - 1].files.count; ++k) {
      const char *name = r->changes.items[i - 1].files.items[k].name;
      size_t length = strlen(out);
      if ((!only_held || r->changes.items[i - 1].is_held) && length + strlen(name) + 3 < bytes)
        snprintf(out + length, bytes - length, "%s%s", length ? ", " : "", name);
    }
  return out;
}

void refused_changes_append(const refused_changes_t *r, error_card_t *card) {
  for (uint32_t i = r->changes.count; i > 0; --i)
    error_card_append(card, &r->changes.items[i - 1].report);
}

void refused_changes_show(const refused_changes_t *r, error_card_t *card, const char *game_folder,
                          const char *engine_folder) {
  error_card_clear(card);
  for (uint32_t i = r->changes.count; i > 0; --i) {
    const script_report_t *report = &r->changes.items[i - 1].report;
    if (i == r->changes.count)
      error_card_add(card, ERROR_CARD_RELOAD, report, game_folder, engine_folder);
    else
      error_card_append(card, report);
  }
}
