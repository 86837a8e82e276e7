// Resolves asset names in the asset folders and rejects names that point outside of them.
#include "platform/assets.h"

#include "base/confined_folder.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/nearest_name.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Returns true if the name, which comes from scripts or data, cannot refer to a file outside of the folders.
static bool is_safe_name(const char *name) {
  if (name[0] == '\0' || path_is_rooted(name))
    return false;
  for (const char *segment = name; segment; segment = strpbrk(segment, "/\\")) {
    segment += *segment == '/' || *segment == '\\';
    if (segment[0] == '.' && segment[1] == '.' && (segment[2] == '\0' || segment[2] == '/' || segment[2] == '\\'))
      return false;
  }
  return true;
}

// Returns true if the folder contains this file. Sets errno to EXDEV if the file is a link that leaves the game's
// folder.
static bool find_in_folder(const char *folder, const char *name, char *out, size_t out_bytes) {
  errno = 0;
  if (folder[0] == '\0' || strlen(folder) + strlen(name) + 2 > out_bytes)
    return false;
  path_join(out, out_bytes, folder, name);
  return file_exists(out);
}

static const char *base_name(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

// Offers all files in a folder as suggestions. A file with the same name in a different subfolder is the best match.
static void suggest_from_folder(nearest_name_t *nearest, const char *folder) {
  allocator_t memory = {0};
  file_list_t list = {0};
  if (folder[0] && file_is_folder(folder) && file_list(&memory, folder, "", &list, NULL))
    for (uint32_t i = 0; i < list.count && nearest->distance > 0; ++i) {
      bool same_name = strcmp(base_name(list.paths[i]), base_name(nearest->name_to_match)) == 0 &&
                       strlen(list.paths[i]) < NEAREST_NAME_MAX_BYTES;
      nearest_name_offer(nearest, list.paths[i]);
      if (same_name)
        snprintf(nearest->best, sizeof nearest->best, "%s", list.paths[i]);
      nearest->distance = same_name ? 0 : nearest->distance;
    }
  file_list_free(&memory, &list);
}

static const char *format_hint(const assets_t *a, const char *name, char *out, uint32_t out_bytes) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  suggest_from_folder(&nearest, a->game);
  if (!nearest.best[0])
    suggest_from_folder(&nearest, a->engine);
  return nearest_name_hint(&nearest, out, out_bytes);
}

static pthread_mutex_t requests_lock = PTHREAD_MUTEX_INITIALIZER; // protects the requests of all assets_t

static asset_request_t *find_request(const assets_t *assets, const char *name) {
  uint64_t hash = hash_bytes(name, strlen(name), 0);
  for (uint32_t i = 0; assets->requests && i < assets->requests->count; ++i)
    if (assets->requests->items[i].hash == hash)
      return &assets->requests->items[i];
  return NULL;
}

bool assets_has_reported(const assets_t *a, const char *name) {
  pthread_mutex_lock(&requests_lock);
  const asset_request_t *request = find_request(a, name);
  bool reported = request && request->reported;
  pthread_mutex_unlock(&requests_lock);
  return reported;
}

void assets_record_request(const assets_t *assets, const char *name, const char *requester, bool reported) {
  pthread_mutex_lock(&requests_lock);
  asset_request_t *request = find_request(assets, name);
  if (!request && assets->requests && assets->requests->count < ASSETS_MAX_REQUESTS) {
    request = &assets->requests->items[assets->requests->count++];
    request->hash = hash_bytes(name, strlen(name), 0);
  }
  if (request) {
    request->reported = reported;
    snprintf(request->requester, sizeof request->requester, "%s", requester);
  }
  pthread_mutex_unlock(&requests_lock);
}

// Returns the hash of the content, which is never 0.
static uint64_t hash_content(const asset_checks_t *c, const void *bytes, size_t size_bytes) {
  return hash_bytes(bytes, size_bytes, c->seed) | 1;
}

bool assets_is_checked(const assets_t *a, const void *bytes, size_t size_bytes) {
  uint64_t hash = a->checks ? hash_content(a->checks, bytes, size_bytes) : 0;
  for (uint32_t i = 0; hash != 0 && i < ASSETS_MAX_CHECKED; ++i)
    if (a->checks->hashes[i] == hash)
      return true;
  return false;
}

void assets_record_check(const assets_t *a, const void *bytes, size_t size_bytes) {
  if (a->checks)
    a->checks->hashes[a->checks->count++ % ASSETS_MAX_CHECKED] = hash_content(a->checks, bytes, size_bytes);
}

const char *assets_format_requester(const assets_t *assets, const char *name, char *out, size_t out_bytes) {
  pthread_mutex_lock(&requests_lock);
  const asset_request_t *request = find_request(assets, name);
  bool has_requester = request && request->requester[0];
  snprintf(out, out_bytes, "%s%s%s", has_requester ? " (requested by " : "", has_requester ? request->requester : "",
           has_requester ? ")" : "");
  pthread_mutex_unlock(&requests_lock);
  return out;
}

static bool find_screenshot(const assets_t *assets, const char *save, char *out, size_t out_bytes) {
  char file[256];
  int length = snprintf(file, sizeof file, "%s.png", save);
  bool fits = length > 4 && (size_t)length < sizeof file && !strpbrk(file, "/\\");
  if (fits && find_in_folder(assets->saves, file, out, out_bytes))
    return true;
  snprintf(out, out_bytes, ASSETS_SAVE "%s: the screenshot of this save was not found", save);
  return false;
}

bool assets_has_addon(const assets_t *a, const char *name, const char *folder) {
  for (uint32_t i = 0; a->addons && i < a->addons->count; ++i)
    if (strcmp(a->addons->items[i].name, name) == 0)
      return strcmp(a->addons->items[i].folder, folder) == 0;
  return false;
}

void assets_add_addon(const assets_t *assets, const char *name, const char *folder) {
  uint32_t index = 0;
  while (assets->addons && index < assets->addons->count && strcmp(assets->addons->items[index].name, name) != 0)
    index++;
  if (!assets->addons || index == ASSETS_MAX_ADDONS)
    return;
  assets->addons->count = index == assets->addons->count ? index + 1 : assets->addons->count;
  snprintf(assets->addons->items[index].name, sizeof assets->addons->items[index].name, "%s", name);
  snprintf(assets->addons->items[index].folder, sizeof assets->addons->items[index].folder, "%s", folder);
}

static bool find_in_addon(const assets_t *assets, const char *name, char *out, size_t out_bytes) {
  for (uint32_t i = 0; assets->addons && i < assets->addons->count; ++i) {
    size_t length = strlen(assets->addons->items[i].name);
    char folder[512 + 8];
    if (strncmp(name, assets->addons->items[i].name, length) == 0 && name[length] == '/')
      return find_in_folder(path_join(folder, sizeof folder, assets->addons->items[i].folder, "assets"),
                            name + length + 1, out, out_bytes);
  }
  return false;
}

bool assets_find(const assets_t *assets, const char *name, char *out, size_t out_bytes) {
  if (strncmp(name, ASSETS_SAVE, strlen(ASSETS_SAVE)) == 0)
    return find_screenshot(assets, name + strlen(ASSETS_SAVE), out, out_bytes);
  if (!is_safe_name(name)) {
    snprintf(out, out_bytes, "%s: an asset's name must be a path inside assets/, without \"..\"", name);
    return false;
  }
  error_info_t link_error;
  if (find_in_folder(assets->game, name, out, out_bytes))
    return true;
  if (errno != EXDEV && find_in_addon(assets, name, out, out_bytes))
    return true;
  if (errno == EXDEV) {
    confined_set_error(out, &link_error);
    snprintf(out, out_bytes, "%s", link_error.text);
    return false;
  }
  if (find_in_folder(assets->engine, name, out, out_bytes))
    return true;
  bool has_both = assets->game[0] != '\0' && assets->engine[0] != '\0';
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  snprintf(out, out_bytes, "%s: not found (searched %s%s%s)%s", name, assets->game, has_both ? ", " : "",
           assets->engine, format_hint(assets, name, hint, sizeof hint));
  return false;
}

bool assets_has_extension(const char *name) {
  return strchr(base_name(name), '.') != NULL;
}

bool assets_find_sound(const assets_t *assets, const char *name, uint32_t variant, char *out, size_t out_bytes) {
  static const char *const EXTENSIONS[] = {"wav", "ogg", "opus", "flac", "mp3"};
  char number[16] = "", path[1280];
  if (variant > 0)
    snprintf(number, sizeof number, "_%u", variant);
  for (size_t i = 0; is_safe_name(name) && i < sizeof EXTENSIONS / sizeof EXTENSIONS[0]; ++i) {
    int length = snprintf(out, out_bytes, "%s%s.%s", name, number, EXTENSIONS[i]);
    bool fits = length > 0 && (size_t)length < out_bytes;
    if (fits && (find_in_folder(assets->game, out, path, sizeof path) ||
                 find_in_folder(assets->engine, out, path, sizeof path)))
      return true;
  }
  return false;
}

bool assets_is_sound(const assets_t *a, const char *name) {
  char file[ASSETS_SOUND_NAME_BYTES];
  return assets_find_sound(a, name, 0, file, sizeof file) || assets_find_sound(a, name, 1, file, sizeof file);
}

void assets_describe_missing_sound(const char *name, char *out, size_t out_bytes) {
  snprintf(out, out_bytes, "%s: not found: expected a file %s.wav or %s_1.wav (or with .ogg, .opus, .flac or .mp3)",
           name, name, name);
}
