// The user's match files. All files except the tokens are written atomically.
#include "match/match_files.h"

#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/user_folders.h"
#include "game/game.h"
#include "game/save_slots.h"
#include "platform/player_name.h"
#include "process/child.h"

#include <ctype.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PATH 512u
#define MAX_HOSTS 200u
#define HOSTS_BYTES (MAX_HOSTS * (LINK_ADDRESS_TEXT_BYTES + MATCH_CODE_BYTES + 2)) // maximum size of the list of hosts
#define MAX_TOKENS 32u
#define FILE_MAX_PASSWORD_BYTES 4096u
#define CODE_LETTERS 16u

static bool find_file(const char *name, char out[MAX_PATH], error_info_t *error) {
  char folder[MAX_PATH];
  int length = user_folder_find(USER_FOLDER_DATA, "shoal", folder, sizeof folder - 32);
  if (length < 0 || (size_t)length >= sizeof folder - 32)
    return error_set(error, "cannot find a folder for keys: set HOME or XDG_DATA_HOME");
  if (!file_create_folders(folder, error))
    return false;
  path_join(out, MAX_PATH, folder, name);
  return true;
}

// --- secrets

// Creates the file unless it exists. Writes a temporary file first and then links it to its name, because a different
// process may create the file at the same time. On file systems without links, a rename replaces the file.
static bool write_secret(const char *path, const uint8_t *secret, error_info_t *error) {
  char temporary[MAX_PATH + 32];
  (void)snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, process_id());
  remove(temporary); // a killed process with the same id may have left this file behind
  int file = file_system_create_private(temporary);
  bool ok = file >= 0 && file_write_all(file, secret, SEAL_KEY_BYTES) &&
            (file_system_add_name(temporary, path) || errno == EEXIST || file_system_rename(temporary, path));
  if (file >= 0)
    file_system_close(file);
  remove(temporary);
  return ok || error_set(error, "cannot write %s", path);
}

bool match_files_read_secret_at(const char *path, uint8_t *out, error_info_t *error) {
  uint8_t bytes[SEAL_KEY_BYTES + 1];
  randombytes_buf(out, SEAL_KEY_BYTES);
  if (!path_exists(path) && !write_secret(path, out, error))
    return false;
  if (file_read_start(path, bytes, sizeof bytes) != SEAL_KEY_BYTES)
    return error_set(error, "%s is damaged: delete it", path);
  memcpy(out, bytes, SEAL_KEY_BYTES);
  return true;
}

bool match_files_read_secret(const char *name, uint8_t *out, error_info_t *error) {
  char path[MAX_PATH];
  if (find_file(name, path, error))
    return match_files_read_secret_at(path, out, error);
  randombytes_buf(out, SEAL_KEY_BYTES);
  return false;
}

bool match_files_find_beside(const char *database, const char *suffix, char *out, size_t bytes, error_info_t *error) {
  int length = (int)strlen(database) - (path_ends_with(database, ".db") ? 3 : 0);
  return snprintf(out, bytes, "%.*s%s", length, database, suffix) < (int)bytes ||
         error_set(error, "the path of the database is too long: %.80s…", database);
}

// Writes the path of the world's secret. The file need not exist. Returns true on success, or false with a message if
// the path is too long.
static bool find_world_secret(const char *database, char path[MAX_PATH], error_info_t *error) {
  char former[MAX_PATH], owner[MAX_PATH];
  const char *name = strrchr(database, '/');
  int folder_bytes = name ? (int)(name - database) + 1 : 0;
  if (!match_files_find_beside(database, ".key", path, MAX_PATH, error))
    return false;
  (void)snprintf(former, sizeof former, "%.*sworld.key", folder_bytes, database);
  (void)snprintf(owner, sizeof owner, "%.*sworld.db", folder_bytes, database);
  if (!path_exists(path) && path_exists(former) && !path_exists(owner))
    (void)snprintf(path, MAX_PATH, "%s", former);
  return true;
}

bool match_files_find_world_secret(const char *database, char *out, size_t bytes, error_info_t *error) {
  char path[MAX_PATH];
  return find_world_secret(database, path, error) &&
         (snprintf(out, bytes, "%s", path) < (int)bytes ||
          error_set(error, "the path of the database is too long: %.80s…", database));
}

bool match_files_require_world_secret(const char *database, error_info_t *error) {
  char path[MAX_PATH];
  return find_world_secret(database, path, error) &&
         (path_exists(path) ||
          error_set(error, "%s is missing: run this command as the user who serves the world, or restore the file",
                    path));
}

bool match_files_read_world_secret(const char *database, uint8_t *out, error_info_t *error) {
  char path[MAX_PATH];
  return find_world_secret(database, path, error) && match_files_read_secret_at(path, out, error);
}

bool match_files_read_password(const char *path, char out[MATCH_MAX_PASSWORD_BYTES + 1], error_info_t *error) {
  allocator_t memory = {0};
  size_t size;
  char *text = file_read_limited(&memory, path, FILE_MAX_PASSWORD_BYTES, &size, error);
  if (!text)
    return false;
  size_t length = strcspn(text, "\r\n");
  bool fits = length > 0 && length <= MATCH_MAX_PASSWORD_BYTES;
  if (fits)
    (void)snprintf(out, MATCH_MAX_PASSWORD_BYTES + 1, "%.*s", (int)length, text);
  sodium_memzero(text, size);
  file_free(&memory, text, size);
  return fits || error_set(error, "%s: the first line must be a password of 1 to %u bytes, got %zu bytes", path,
                           MATCH_MAX_PASSWORD_BYTES, length);
}

char *match_files_format_code(const uint8_t *key, char out[MATCH_CODE_BYTES]) {
  static const char LETTERS[] = "abcdefghjkmnpqrstuvwxyz23456789"; // alphabet without letters that look alike
  uint8_t hash[CODE_LETTERS];
  crypto_generichash(hash, sizeof hash, key, SEAL_KEY_BYTES, (const uint8_t *)"shoal host code", 15);
  for (uint32_t i = 0, at = 0; i < CODE_LETTERS; ++i) {
    if (i > 0 && i % 4 == 0)
      out[at++] = '-';
    out[at++] = LETTERS[hash[i] % 31];
  }
  out[MATCH_CODE_BYTES - 1] = '\0';
  return out;
}

bool match_files_check_code(const char *code, const uint8_t *key) {
  char expected[MATCH_CODE_BYTES];
  const char *at = match_files_format_code(key, expected);
  for (; *code; ++code) {
    if (*code == '-' || *code == ' ')
      continue;
    while (*at == '-')
      ++at;
    if (*at == '\0' || tolower((unsigned char)*code) != *at++)
      return false;
  }
  return *at == '\0';
}

// --- player name

void match_files_read_name(char out[PLAYER_NAME_BYTES]) {
  char path[MAX_PATH], text[PLAYER_NAME_BYTES];
  const char *user = getenv("USER");
  size_t size = find_file("match.name", path, NULL) ? file_read_start(path, text, sizeof text) : 0;
  player_name_clean(text, size, out);
  if (out[0] == '\0' && user)
    player_name_clean(user, strlen(user), out);
}

void match_files_write_name(const char *name) {
  char path[MAX_PATH];
  if (find_file("match.name", path, NULL))
    file_write(path, name, strlen(name), NULL);
}

// --- known hosts: lines "ADDRESS CODE"

// Finds the line of an address. Returns its start and stores its length, including the line break, in `line_bytes`.
// Returns NULL if the address is not in `text`.
static char *find_host(char *text, const char *address, size_t *line_bytes) {
  size_t length = strlen(address);
  for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *line_bytes = (size_t)(end - line) + 1;
    if (*line_bytes == length + 1 + MATCH_CODE_BYTES && strncmp(line, address, length) == 0 && line[length] == ' ')
      return line;
  }
  return NULL;
}

static void write_hosts(const char *path, const char *text, const char *address, const char *code) {
  char line[LINK_ADDRESS_TEXT_BYTES + MATCH_CODE_BYTES + 2];
  char out[(MAX_HOSTS + 1) * sizeof line];
  uint32_t count = 0;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; ++at)
    ++count;
  for (; count >= MAX_HOSTS; --count) // the first line is the oldest
    text = strchr(text, '\n') + 1;
  (void)snprintf(out, sizeof out, "%s%s %s\n", text, address, code);
  file_write(path, out, strlen(out), NULL);
}

// Reads the list of known hosts into `text`. A missing file is empty. Returns true on success, or false if the address
// is local, or the user's folder cannot be created.
static bool read_hosts(const link_address_t *host, char path[MAX_PATH], char text[HOSTS_BYTES]) {
  if (link_address_is_local(host) || !find_file("match.hosts", path, NULL))
    return false;
  text[file_read_start(path, text, HOSTS_BYTES - 1)] = '\0';
  return true;
}

bool match_files_check_host(const link_address_t *host, const uint8_t *key, char known[MATCH_CODE_BYTES]) {
  char path[MAX_PATH], address[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES], text[HOSTS_BYTES];
  size_t line_bytes;
  known[0] = '\0';
  if (!read_hosts(host, path, text))
    return true;
  const char *line = find_host(text, link_address_format(host, address), &line_bytes);
  if (line)
    (void)snprintf(known, MATCH_CODE_BYTES, "%.*s", (int)MATCH_CODE_BYTES - 1, line + strlen(address) + 1);
  return !line || strcmp(known, match_files_format_code(key, code)) == 0;
}

void match_files_store_host(const link_address_t *host, const uint8_t *key) {
  char path[MAX_PATH], address[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES], text[HOSTS_BYTES];
  size_t line_bytes;
  if (!read_hosts(host, path, text))
    return;
  char *line = find_host(text, link_address_format(host, address), &line_bytes);
  match_files_format_code(key, code);
  if (line && strncmp(line + strlen(address) + 1, code, MATCH_CODE_BYTES - 1) == 0)
    return;
  if (line)
    memmove(line, line + line_bytes, strlen(line + line_bytes) + 1);
  write_hosts(path, text, address, code);
}

// --- banned users: lines "ACCOUNT ADDRESS NAME", with the account in hexadecimal digits

#define BAN_LINE_BYTES (2 * MATCH_ACCOUNT_BYTES + LINK_ADDRESS_TEXT_BYTES + PLAYER_NAME_BYTES + 8)

static bool read_ban(char *line, match_block_t *out) {
  char *address = strchr(line, ' '), *name = address ? strchr(address + 1, ' ') : NULL;
  size_t size;
  if (!name)
    return false;
  *address++ = *name++ = '\0';
  *out = (match_block_t){.kind = MATCH_BLOCK_BANNED};
  player_name_clean(name, strlen(name), out->name);
  return sodium_hex2bin(out->account, sizeof out->account, line, strlen(line), NULL, &size, NULL) == 0 &&
         size == sizeof out->account && link_address_parse(address, 1, &out->address, NULL);
}

void match_files_read_bans(match_guard_t *guard) {
  char path[MAX_PATH], text[MATCH_GUARD_MAX_BANS * BAN_LINE_BYTES + 1], *state;
  match_block_t block;
  match_guard_lift_bans(guard);
  if (!find_file("match.bans", path, NULL))
    return;
  text[file_read_start(path, text, sizeof text - 1)] = '\0';
  for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
    if (read_ban(line, &block))
      match_guard_block(guard, &block);
}

bool match_files_write_bans(const match_guard_t *guard, error_info_t *error) {
  char path[MAX_PATH], text[MATCH_GUARD_MAX_BANS * BAN_LINE_BYTES], account[2 * MATCH_ACCOUNT_BYTES + 1];
  char address[LINK_ADDRESS_TEXT_BYTES];
  size_t at = 0;
  for (uint32_t i = 0; i < guard->block_count; ++i) {
    match_block_t b = guard->blocks[i];
    b.address.port = 1; // unused, but an address must have a port
    if (b.kind == MATCH_BLOCK_BANNED)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s %s %s\n",
                             sodium_bin2hex(account, sizeof account, b.account, sizeof b.account),
                             link_address_format(&b.address, address), b.name);
  }
  return find_file("match.bans", path, error) && file_write(path, text, at, error);
}

// --- tokens

static bool lock_file(match_token_t *t) {
  t->file = file_system_open_private(t->path);
  file_status_t opened, current;
  if (t->file < 0)
    return false;
  // Rejects a file that the previous holder of the lock has removed in the meantime.
  if (file_system_lock(t->file) && file_status_of_open(t->file, &opened) && file_status(t->path, &current) &&
      file_status_is_same(&opened, &current))
    return true;
  file_system_close(t->file);
  t->file = -1;
  return false;
}

bool match_token_open(match_token_t *t, const game_o *g, error_info_t *error) {
  char name[32];
  *t = (match_token_t){.file = -1};
  for (uint32_t i = 1; i <= MAX_TOKENS && t->file < 0; ++i) {
    (void)snprintf(name, sizeof name, "match-%u", i);
    if (!save_slots_prepare_user_path(g, name, ".token", t->path, sizeof t->path, error))
      return false;
    lock_file(t);
  }
  if (t->file < 0)
    return error_set(error, "cannot write %s", t->path);
  t->is_set = file_system_read_at(t->file, 0, t->bytes, sizeof t->bytes) == sizeof t->bytes;
  return true;
}

void match_token_store(match_token_t *t, const uint8_t *token) {
  if (t->is_set && memcmp(t->bytes, token, sizeof t->bytes) == 0)
    return;
  memcpy(t->bytes, token, sizeof t->bytes);
  t->is_set = true;
  if (t->file >= 0)
    file_system_write_start(t->file, t->bytes, sizeof t->bytes);
}

void match_token_close(match_token_t *t, bool keep) {
  if (t->file < 0)
    return;
  if (!keep)
    remove(t->path);
  file_system_close(t->file);
  t->file = -1;
}
