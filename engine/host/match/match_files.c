// Small user files, each written atomically.
#include "match/match_files.h"

#include "base/files.h"
#include "game/game.h"
#include "game/save_slots.h"
#include "platform/player_name.h"

#include <ctype.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PATH 512u
#define MAX_HOSTS 200u
#define MAX_TOKENS 32u
#define CODE_LETTERS 16u

static bool find_file(const char *name, char out[MAX_PATH], error_info_t *error) {
  char folder[MAX_PATH];
  int length = file_user_folder(folder, sizeof folder - 32, "XDG_DATA_HOME", ".local/share", "shoal");
  if (length < 0 || (size_t)length >= sizeof folder - 32)
    return error_set(error, "cannot find a folder for keys: set HOME or XDG_DATA_HOME");
  if (!file_create_folders(folder, error))
    return false;
  path_join(out, MAX_PATH, folder, name);
  return true;
}

// --- this machine's key

static bool write_secret(const char *path, const uint8_t *secret, error_info_t *error) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = file >= 0 && file_write_all(file, secret, SEAL_KEY_BYTES);
  if (file >= 0)
    close(file);
  return ok || error_set(error, "cannot write %s", path);
}

bool match_files_read_secret(uint8_t *out, error_info_t *error) {
  char path[MAX_PATH];
  uint8_t bytes[SEAL_KEY_BYTES + 1];
  randombytes_buf(out, SEAL_KEY_BYTES);
  if (!find_file("match.key", path, error))
    return false;
  if (!path_exists(path))
    return write_secret(path, out, error);
  if (file_read_start(path, bytes, sizeof bytes) != SEAL_KEY_BYTES)
    return error_set(error, "%s is damaged: delete it", path);
  memcpy(out, bytes, SEAL_KEY_BYTES);
  return true;
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

// --- the name

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

static bool is_local(const link_address_t *address) {
  static const uint8_t LOOPBACK[16] = {[15] = 1};
  return link_address_is_ipv4(address) ? address->ip[12] == 127 : memcmp(address->ip, LOOPBACK, 16) == 0;
}

// Copies the line of an address in `text` to `line`. Returns its position, or NULL if the address is not in `text`.
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

bool match_files_check_host(const link_address_t *host, const uint8_t *key, bool replaces,
                            char known[MATCH_CODE_BYTES]) {
  char path[MAX_PATH], address[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES], *line;
  char text[MAX_HOSTS * (LINK_ADDRESS_TEXT_BYTES + MATCH_CODE_BYTES + 2)];
  size_t line_bytes = 0;
  known[0] = '\0';
  if (is_local(host) || !find_file("match.hosts", path, NULL))
    return true;
  text[file_read_start(path, text, sizeof text - 1)] = '\0';
  link_address_format(host, address);
  match_files_format_code(key, code);
  line = find_host(text, address, &line_bytes);
  if (line) {
    (void)snprintf(known, MATCH_CODE_BYTES, "%.*s", (int)MATCH_CODE_BYTES - 1, line + strlen(address) + 1);
    if (strcmp(known, code) == 0)
      return true;
    if (!replaces)
      return false;
    memmove(line, line + line_bytes, strlen(line + line_bytes) + 1);
  }
  write_hosts(path, text, address, code);
  return true;
}

// --- tokens

static bool lock_file(match_token_t *t) {
  t->file = open(t->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat opened, current;
  if (t->file < 0)
    return false;
  // The process that held the lock may have removed the file in the meantime.
  if (flock(t->file, LOCK_EX | LOCK_NB) == 0 && fstat(t->file, &opened) == 0 && stat(t->path, &current) == 0 &&
      opened.st_ino == current.st_ino)
    return true;
  close(t->file);
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
  t->is_set = read(t->file, t->bytes, sizeof t->bytes) == (ssize_t)sizeof t->bytes;
  return true;
}

void match_token_store(match_token_t *t, const uint8_t *token) {
  if (t->is_set && memcmp(t->bytes, token, sizeof t->bytes) == 0)
    return;
  memcpy(t->bytes, token, sizeof t->bytes);
  t->is_set = true;
  if (t->file >= 0 && pwrite(t->file, t->bytes, sizeof t->bytes, 0) != (ssize_t)sizeof t->bytes)
    (void)ftruncate(t->file, 0); // truncate, because a partial token is useless
}

void match_token_close(match_token_t *t, bool keep) {
  if (t->file < 0)
    return;
  if (!keep)
    unlink(t->path);
  close(t->file);
  t->file = -1;
}
