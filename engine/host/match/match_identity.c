// Encodes and compares identities. Encoding: version (1), 1 if the machine accepts changed code (1), the hashes (8
// each), then the arithmetic and the list of plugins, both terminated by '\0'.
#include "match/match_identity.h"

#include "base/exact_math.h"
#include "base/files.h"
#include "base/hash.h"
#include "game/game.h"
#include "game/players.h"

#include <stdio.h>
#include <string.h>

#define VERSION 3u
#define HASHES 4u
#define MAX_PATH 1200u

_Static_assert(2 + HASHES * 8 + FILE_SUMS_BYTES + sizeof((match_identity_t *)0)->arithmetic +
                       sizeof((match_identity_t *)0)->plugin_list <=
                   MATCH_IDENTITY_BYTES,
               "the encoded form is too large");

// --- assets

static bool is_sound(const char *name) {
  static const char *const ENDS[] = {".ogg", ".wav", ".mp3", ".flac"};
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; ++i)
    if (path_ends_with(name, ENDS[i]))
      return true;
  return false;
}

// Returns true if an asset is a data file, which counts as a source.
static bool is_source(const char *name) {
  char path[MAX_PATH];
  return sources_is_source_file(path_join(path, sizeof path, "assets", name));
}

static void add_asset(file_hashes_o *out, const char *addon, const char *name, const char *bytes, size_t size) {
  char path[MAX_PATH];
  (void)snprintf(path, sizeof path, "%s%s%sassets/%s", addon ? SOURCES_ADDONS : "", addon ? addon : "",
                 addon ? "/" : "", name);
  file_hashes_add(out, path, hash_bytes(bytes, size, 1));
}

// Adds the files of an assets folder, except sounds and data files, to the hash and to `out`. The folder belongs to the
// add-on `addon` or, if `addon` is NULL, to the game. A file that no machine can use, such as a broken link, counts as
// empty. Returns true on success. Returns false with a message if the folder cannot be read, or if a file cannot be
// read on this machine but may be readable on other machines.
static bool hash_folder(const char *folder, const char *addon, uint64_t *hash, file_hashes_o *out,
                        error_info_t *error) {
  allocator_t memory = {0};
  file_list_t files = {0};
  char path[MAX_PATH];
  bool ok = file_list_optional(&memory, folder, "", &files, error);
  for (uint32_t i = 0; ok && i < files.count; ++i) {
    size_t size = 0;
    error_info_t reason = {0};
    if (is_sound(files.paths[i]) || is_source(files.paths[i]))
      continue;
    path_join(path, sizeof path, folder, files.paths[i]);
    char *bytes = file_read(&memory, path, &size, &reason);
    ok = bytes || !file_exists(path) || !reason.may_be_unfinished || error_set(error, "%s", reason.text);
    *hash = hash_bytes(files.paths[i], strlen(files.paths[i]) + 1, *hash);
    *hash = hash_bytes(bytes ? bytes : "", size, *hash);
    add_asset(out, addon, files.paths[i], bytes ? bytes : "", size);
    file_free(&memory, bytes, size);
  }
  file_list_free(&memory, &files);
  return ok;
}

static bool hash_assets(const game_o *g, uint64_t *hash, file_hashes_o *out, error_info_t *error) {
  const assets_t *assets = g->desc.assets;
  char folder[MAX_PATH];
  bool ok = !assets || hash_folder(assets->game, NULL, hash, out, error);
  for (uint32_t i = 0; ok && assets && assets->addons && i < assets->addons->count; ++i) {
    const char *name = assets->addons->items[i].name;
    path_join(folder, sizeof folder, assets->addons->items[i].folder, "assets");
    *hash = hash_bytes(name, strlen(name), *hash);
    ok = hash_folder(folder, name, hash, out, error);
  }
  return ok;
}

// --- plugins

static bool check_plugin(const plugin_identity_t *plugin, error_info_t *error) {
  if (plugin->has_side_effects)
    return error_set(error,
                     "This game cannot be played over a network because of its plugin %s.\n"
                     "plugin %s has side effects: what it reads from ports or devices would differ between machines",
                     plugin->name, plugin->name);
  if (plugin->has_hidden_state && plugin->static_variable[0])
    return error_set(error,
                     "This game cannot be played over a network because of its plugin %s.\n"
                     "plugin %s has the writable static variable %s, which no rollback restores: store the value in "
                     "components, make the variable const, or rebuild it in `on_restore`",
                     plugin->name, plugin->name, plugin->static_variable);
  if (plugin->has_hidden_state)
    return error_set(error,
                     "This game cannot be played over a network because of its plugin %s.\n"
                     "plugin %s keeps a state outside the world: store it in components, or rebuild it in `on_restore`",
                     plugin->name, plugin->name);
  return true;
}

static bool list_plugins(const game_o *g, match_identity_t *out, error_info_t *error) {
  plugin_identity_t plugin;
  for (uint32_t i = 0; plugins_get_identity(g->plugins, i, &plugin); ++i) {
    char line[192];
    size_t length = strlen(out->plugin_list);
    if (!check_plugin(&plugin, error))
      return false;
    (void)snprintf(line, sizeof line, "%s %u (schema %016llx)\n", plugin.name, plugin.version,
                   (unsigned long long)plugin.schema_hash);
    out->plugins = hash_bytes(line, strlen(line), out->plugins);
    if (length + strlen(line) < sizeof out->plugin_list)
      memcpy(out->plugin_list + length, line, strlen(line) + 1);
  }
  return true;
}

// --- identity

// Returns true if the processor rounds to nearest and keeps denormals. exact_math_id alone would not detect a different
// mode, because its functions may set the mode themselves. `volatile` keeps the compiler from computing the results.
static bool is_rounding_standard(void) {
  volatile double one = 1, tiny = 1e-30, denormal = 1e-310;
  return one + tiny == one && one - tiny == one && -one - tiny == -one && denormal / 2 > 0;
}

static void add_sources(const sources_o *sources, file_hashes_o *out) {
  const char *name;
  uint64_t hash;
  for (uint32_t i = 0; (name = sources_file_name(sources, i)) != NULL; ++i)
    if (sources_hash_file(sources, i, &hash))
      file_hashes_add(out, name, hash);
}

bool match_identity_compute(const game_o *g, uint64_t engine, match_identity_t *out, file_hashes_o *files,
                            error_info_t *error) {
  *out = (match_identity_t){.engine = engine};
  if (!players_are_declared(g))
    return error_set(error,
                     "%s cannot be played over a network.\n"
                     "the game declares no players: add multiplayer = { players = { 2, 8 } } to game.lua",
                     g->config.title);
  out->sources = sources_hash(vm_sources(g->vm));
  add_sources(vm_sources(g->vm), files);
  error_info_t reason = {0};
  if (!hash_assets(g, &out->assets, files, &reason))
    return error_set(error, "The files of %s cannot be read.\n%s", g->config.title, reason.text);
  out->files = file_hashes_sum(files);
  (void)snprintf(out->arithmetic, sizeof out->arithmetic, "%s%s", exact_math_id(),
                 is_rounding_standard() ? "" : " with a different rounding mode");
  return list_plugins(g, out, error);
}

static void get_hashes(const match_identity_t *identity, uint64_t *out) {
  const uint64_t hashes[HASHES] = {identity->engine, identity->sources, identity->assets, identity->plugins};
  memcpy(out, hashes, sizeof hashes);
}

size_t match_identity_write(const match_identity_t *identity, uint8_t *out) {
  uint64_t hashes[HASHES];
  size_t at = 2, size = strlen(identity->arithmetic) + 1;
  out[0] = VERSION;
  out[1] = identity->shares_code;
  get_hashes(identity, hashes);
  memcpy(out + at, hashes, sizeof hashes);
  at += sizeof hashes;
  memcpy(out + at, &identity->files, FILE_SUMS_BYTES);
  at += FILE_SUMS_BYTES;
  memcpy(out + at, identity->arithmetic, size);
  at += size;
  size = strlen(identity->plugin_list) + 1;
  memcpy(out + at, identity->plugin_list, size);
  return at + size;
}

// Reads a string with its '\0', and replaces control characters. Returns true on success, or false if the '\0' is
// missing, or the string exceeds `capacity`.
static bool read_text(const uint8_t *bytes, size_t size, size_t *at, char *out, size_t capacity) {
  const uint8_t *end = memchr(bytes + *at, '\0', size - *at);
  size_t length = end ? (size_t)(end - bytes) - *at : capacity;
  if (length >= capacity)
    return false;
  memcpy(out, bytes + *at, length + 1);
  error_strip_controls(out);
  *at += length + 1;
  return true;
}

bool match_identity_read(const uint8_t *bytes, size_t size, match_identity_t *out) {
  uint64_t hashes[HASHES];
  size_t at = 2 + sizeof hashes + FILE_SUMS_BYTES;
  *out = (match_identity_t){0};
  if (size < at || bytes[0] != VERSION || bytes[1] > 1)
    return false;
  out->shares_code = bytes[1] != 0;
  memcpy(hashes, bytes + 2, sizeof hashes);
  out->engine = hashes[0];
  out->sources = hashes[1];
  out->assets = hashes[2];
  out->plugins = hashes[3];
  memcpy(&out->files, bytes + 2 + sizeof hashes, FILE_SUMS_BYTES);
  return read_text(bytes, size, &at, out->arithmetic, sizeof out->arithmetic) &&
         read_text(bytes, size, &at, out->plugin_list, sizeof out->plugin_list) && at == size;
}

// --- comparison

// Copies the first line of `list` that `other` lacks to `out` (64 bytes), or "nothing more" if `other` has all lines.
static const char *find_plugin(const char *list, const char *other, char *out) {
  (void)snprintf(out, 64, "nothing more");
  for (const char *line = list, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    char text[192];
    (void)snprintf(text, sizeof text, "%.*s", (int)(end + 1 - line), line);
    if (strstr(other, text))
      continue;
    (void)snprintf(out, 64, "%.*s", (int)(end - line), line);
    break;
  }
  return out;
}

// Returns the reason why machines with these identities cannot play together, or MATCH_REFUSAL_NONE if they can.
static match_refusal_kind_t find_reason(const match_identity_t *host, const match_identity_t *joiner) {
  if (strcmp(host->arithmetic, joiner->arithmetic) != 0)
    return MATCH_REFUSAL_ARITHMETIC;
  if (host->engine != joiner->engine)
    return MATCH_REFUSAL_VERSION;
  if (host->plugins != joiner->plugins)
    return MATCH_REFUSAL_PLUGINS;
  if (host->shares_code && !joiner->shares_code)
    return MATCH_REFUSAL_CHANGED;
  bool is_same = host->assets == joiner->assets && (host->shares_code || host->sources == joiner->sources);
  return is_same ? MATCH_REFUSAL_NONE : MATCH_REFUSAL_FILES;
}

bool match_identity_compare(const match_identity_t *host, const match_identity_t *joiner, const file_hashes_o *files,
                            match_refusal_t *refusal) {
  match_refusal_kind_t reason = find_reason(host, joiner);
  match_refusal_set(refusal, reason, 0);
  switch (reason) {
  case MATCH_REFUSAL_NONE: return true;
  case MATCH_REFUSAL_ARITHMETIC:
    (void)snprintf(refusal->texts[0], sizeof refusal->texts[0], "%s", host->arithmetic);
    break;
  case MATCH_REFUSAL_VERSION:
    (void)snprintf(refusal->texts[0], sizeof refusal->texts[0], "%016llx", (unsigned long long)host->engine);
    break;
  case MATCH_REFUSAL_PLUGINS:
    find_plugin(host->plugin_list, joiner->plugin_list, refusal->texts[0]);
    find_plugin(joiner->plugin_list, host->plugin_list, refusal->texts[1]);
    break;
  case MATCH_REFUSAL_FILES:
    if (files && !host->shares_code) // different sources are no reason for a refusal if the code is shared
      refusal->file_bytes =
          file_hashes_write_list(files, &joiner->files, refusal->files, MATCH_REFUSAL_BYTES - MATCH_REFUSAL_HEAD_BYTES);
    break;
  default: break;
  }
  return false;
}

bool match_identity_explain(const match_refusal_t *refusal, const match_identity_t *joiner, const char *host_title,
                            char *out, size_t bytes) {
  const char *host = refusal->texts[0];
  switch (refusal->number) {
  case MATCH_REFUSAL_ARITHMETIC:
    (void)snprintf(out, bytes, "arithmetic: %s has %s, the joiner %s", host_title, host, joiner->arithmetic);
    return true;
  case MATCH_REFUSAL_VERSION:
    if (!host[0])
      return false;
    (void)snprintf(out, bytes, "engine scripts: %s has %s, the joiner %016llx", host_title, host,
                   (unsigned long long)joiner->engine);
    return true;
  case MATCH_REFUSAL_PLUGINS:
    (void)snprintf(out, bytes, "plugins: %s has %s, the joiner %s", host_title, host, refusal->texts[1]);
    return true;
  default: return false;
  }
}
