// Keys of hosts, tokens, and the identities that machines of a match compare.
#include "base/file_system.h"
#include "match/match_account.h"
#include "match/match_files.h"
#include "match/match_identity.h"

#include "game/game.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "temporary_folder.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], previous[PATH_MAX];

static void setup(void) {
  const char *value = getenv("XDG_DATA_HOME");
  snprintf(previous, sizeof previous, "%s", value ? value : "");
  temporary_folder_create(folder, sizeof folder, "match-files");
  assert_int_equal(setenv("XDG_DATA_HOME", folder, 1), 0);
}

static void teardown(void) {
  temporary_folder_remove(folder);
  assert_int_equal(previous[0] ? setenv("XDG_DATA_HOME", previous, 1) : unsetenv("XDG_DATA_HOME"), 0);
}
STATIC_FIXTURE(fixture, setup, teardown)

TEST_WITH(codes_identify_keys_in_any_spelling, fixture) {
  uint8_t keys[2][SEAL_KEY_BYTES] = {{1}, {2}};
  char code[MATCH_CODE_BYTES], plain[MATCH_CODE_BYTES + 2] = "";
  match_files_format_code(keys[0], code);
  assert_int_equal(strlen(code), MATCH_CODE_BYTES - 1);
  for (uint32_t i = 0, at = 0; code[i]; ++i)
    if (code[i] != '-')
      plain[at++] = (char)(code[i] >= 'a' && code[i] <= 'z' ? code[i] - 'a' + 'A' : code[i]);
  assert_true(match_files_check_code(code, keys[0]));
  assert_true(match_files_check_code(plain, keys[0]));
  assert_false(match_files_check_code(code, keys[1]));
  assert_false(match_files_check_code("", keys[0]));
  code[MATCH_CODE_BYTES - 2] = '\0'; // the code is incomplete
  assert_false(match_files_check_code(code, keys[0]));
  snprintf(plain, sizeof plain, "%sa", code);
  strncat(plain, "a", sizeof plain - strlen(plain) - 1);
  assert_false(match_files_check_code(plain, keys[0]));
}

TEST_WITH(user_secret_stays_the_same, fixture) {
  uint8_t first[SEAL_KEY_BYTES], second[SEAL_KEY_BYTES];
  char path[128];
  struct stat info;
  error_info_t error = {0};
  assert_true(match_files_read_secret(MATCH_FILES_HOST_SECRET, first, &error));
  assert_true(match_files_read_secret(MATCH_FILES_HOST_SECRET, second, &error));
  assert_memory_equal(first, second, sizeof first);
  snprintf(path, sizeof path, "%s/shoal/match.key", folder);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  assert_int_equal(truncate(path, 5), 0);
  assert_false(match_files_read_secret(MATCH_FILES_HOST_SECRET, second, &error));
  assert_non_null(strstr(error.text, "is damaged: delete it"));
}

TEST_WITH(account_secret_is_private_and_differs_from_the_hosts_secret, fixture) {
  uint8_t host[SEAL_KEY_BYTES], account[SEAL_KEY_BYTES], again[SEAL_KEY_BYTES];
  char path[128];
  struct stat info;
  assert_true(match_files_read_secret(MATCH_FILES_HOST_SECRET, host, NULL));
  assert_true(match_files_read_secret(MATCH_FILES_ACCOUNT_SECRET, account, NULL));
  assert_true(match_files_read_secret(MATCH_FILES_ACCOUNT_SECRET, again, NULL));
  assert_memory_equal(account, again, sizeof account);
  assert_memory_not_equal(account, host, sizeof account);
  snprintf(path, sizeof path, "%s/shoal/account.key", folder);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  assert_int_equal(info.st_nlink, 1); // the temporary file is gone
}

TEST_WITH(account_depends_on_the_user_and_the_host, fixture) {
  uint8_t secrets[2][SEAL_KEY_BYTES] = {{1}, {2}}, hosts[2][SEAL_KEY_BYTES] = {{3}, {4}};
  uint8_t first[MATCH_ACCOUNT_BYTES], second[MATCH_ACCOUNT_BYTES];
  match_account_compute(secrets[0], hosts[0], first);
  match_account_compute(secrets[0], hosts[0], second);
  assert_memory_equal(first, second, sizeof first);
  match_account_compute(secrets[1], hosts[0], second);
  assert_memory_not_equal(first, second, sizeof first);
  match_account_compute(secrets[0], hosts[1], second);
  assert_memory_not_equal(first, second, sizeof first);
}

TEST_WITH(bans_persist_until_the_list_is_emptied, fixture) {
  static match_guard_t written, read;
  match_block_t block = {.kind = MATCH_BLOCK_BANNED, .account = {1, 2, 3}, .name = "Ada B"};
  error_info_t error = {0};
  assert_true(link_address_parse("[2001:db8::5]:77", 0, &block.address, &error));
  match_guard_block(&written, &block);
  match_guard_block(&written, &(match_block_t){.kind = MATCH_BLOCK_REMOVED, .account = {9}});
  block = (match_block_t){.kind = MATCH_BLOCK_BANNED, .account = {4}}; // the address is unknown
  match_guard_block(&written, &block);
  assert_true(match_files_write_bans(&written, &error));
  match_files_read_bans(&read);
  assert_int_equal(read.block_count, 2);
  assert_memory_equal(read.blocks[0].account, written.blocks[0].account, MATCH_ACCOUNT_BYTES);
  assert_memory_equal(read.blocks[0].address.ip, written.blocks[0].address.ip, 16);
  assert_string_equal(read.blocks[0].name, "Ada B");
  assert_int_equal(read.blocks[1].account[0], 4);
  match_guard_lift_bans(&written);
  assert_true(match_files_write_bans(&written, &error));
  match_files_read_bans(&read);
  assert_int_equal(read.block_count, 0);
}

TEST_WITH(damaged_lines_of_bans_are_ignored, fixture) {
  static match_guard_t guard;
  char path[128];
  assert_true(match_files_write_bans(&guard, NULL)); // creates the folder
  snprintf(path, sizeof path, "%s/shoal/match.bans", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("\n\nxyz\n12 10.0.0.1:1 Ada\n \n", file);
  for (uint32_t i = 0; i < 64; ++i)
    fputc('a', file);
  fputs(" 10.0.0.1:1 Bo\033[2J\n", file);
  fclose(file);
  match_files_read_bans(&guard);
  assert_int_equal(guard.block_count, 1);
  assert_string_equal(guard.blocks[0].name, "");
}

TEST_WITH(changed_key_of_a_known_host_is_refused, fixture) {
  uint8_t keys[2][SEAL_KEY_BYTES] = {{1}, {2}};
  char known[MATCH_CODE_BYTES], code[MATCH_CODE_BYTES];
  link_address_t host = link_address_from_ipv4(0xc0a80105, 47110), other = link_address_from_ipv4(0xc0a80106, 47110);
  link_address_t local = link_address_from_ipv4(0x7f000001, 47110);
  match_files_store_host(&local, keys[0]);
  assert_true(match_files_check_host(&local, keys[1], known)); // addresses of this machine have no known keys
  assert_string_equal(known, "");
  assert_true(match_files_check_host(&host, keys[1], known)); // a check does not store the key
  assert_string_equal(known, "");
  match_files_store_host(&host, keys[0]);
  match_files_store_host(&host, keys[0]);
  match_files_store_host(&other, keys[1]);
  assert_false(match_files_check_host(&host, keys[1], known));
  assert_string_equal(known, match_files_format_code(keys[0], code));
  assert_true(match_files_check_host(&host, keys[0], known));
  assert_string_equal(known, code);
  match_files_store_host(&host, keys[1]); // the user has entered the host's code
  assert_true(match_files_check_host(&host, keys[1], known));
  assert_false(match_files_check_host(&host, keys[0], known));
  assert_true(match_files_check_host(&other, keys[1], known));
}

TEST_WITH(host_list_is_bounded_and_tolerates_damage, fixture) {
  uint8_t key[SEAL_KEY_BYTES] = {1}, wrong[SEAL_KEY_BYTES] = {2};
  char known[MATCH_CODE_BYTES], path[128];
  struct stat info;
  snprintf(path, sizeof path, "%s/shoal/match.hosts", folder);
  for (uint32_t i = 0; i < 500; ++i) {
    link_address_t host = link_address_from_ipv4(0x0a000000 + i, 47110);
    match_files_store_host(&host, key);
    assert_false(match_files_check_host(&host, wrong, known));
  }
  assert_int_equal(stat(path, &info), 0);
  assert_true(info.st_size < 200 * 40);
  FILE *file = fopen(path, "w");
  fputs("10.0.0.1:47110\n\n10.0.0.1:47110 short\n10.0.0.2:47110 ", file);
  fclose(file);
  link_address_t host = link_address_from_ipv4(0x0a000001, 47110);
  assert_true(match_files_check_host(&host, key, known));
}

static host_o *create_game(void) {
  char path[128], systems[96];
  error_info_t error = {0};
  snprintf(systems, sizeof systems, "%s/duel", folder);
  file_system_create_folder(systems, false);
  snprintf(path, sizeof path, "%s/game.lua", systems);
  FILE *file = fopen(path, "w");
  fputs("return { title = 'Duel', id = 'files_duel', multiplayer = { players = { 1, 4 } } }\n", file);
  fclose(file);
  options_t options = {
      .command = OPTIONS_RUN, .program = "", .target = systems, .headless = true, .log_level = LOG_NONE};
  host_o *h = host_create(&options, &error);
  if (!h)
    fail_msg("%s", error.text);
  return h;
}

TEST_WITH(token_of_a_crashed_process_is_taken_over_once, fixture) {
  host_o *h = create_game();
  match_token_t first, second, third;
  uint8_t token[MATCH_TOKEN_BYTES] = {7, 8, 9};
  pid_t child = fork();
  if (child == 0) { // the process that crashes
    if (match_token_open(&first, h->session.game, NULL))
      match_token_store(&first, token);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  assert_true(match_token_open(&second, h->session.game, NULL));
  assert_true(second.is_set);
  assert_memory_equal(second.bytes, token, sizeof token);
  assert_true(match_token_open(&third, h->session.game, NULL)); // simulates a second process that runs at the same time
  assert_false(third.is_set);
  match_token_store(&third, token);
  match_token_close(&second, false); // the machine has left the match
  match_token_close(&third, true);
  assert_true(match_token_open(&first, h->session.game, NULL));
  assert_false(first.is_set);
  assert_true(match_token_open(&second, h->session.game, NULL));
  assert_true(second.is_set);
  match_token_close(&first, false);
  match_token_close(&second, false);
  host_destroy(h);
}

static match_refusal_kind_t compare(const match_identity_t *host, const match_identity_t *joiner) {
  match_refusal_t refusal;
  bool fits = match_identity_compare(host, joiner, NULL, &refusal);
  assert_int_equal(fits, refusal.number == MATCH_REFUSAL_NONE);
  return (match_refusal_kind_t)refusal.number;
}

TEST_WITH(identity_comparison_reports_the_reason, fixture) {
  host_o *h = create_game();
  match_identity_t host, joiner;
  uint8_t bytes[MATCH_IDENTITY_BYTES];
  error_info_t error = {0};
  file_hashes_o *files = file_hashes_create();
  assert_true(match_identity_compute(h->session.game, 5, &host, files, &error));
  file_hashes_destroy(files);
  size_t size = match_identity_write(&host, bytes);
  assert_true(match_identity_read(bytes, size, &joiner));
  assert_memory_equal(&host.files, &joiner.files, sizeof host.files);
  assert_int_equal(compare(&host, &joiner), MATCH_REFUSAL_NONE);
  for (size_t shorter = 0; shorter < size; ++shorter)
    assert_false(match_identity_read(bytes, shorter, &joiner));
  bytes[size - 1] = 'x'; // the last string lacks its '\0'
  assert_false(match_identity_read(bytes, size, &joiner));
  joiner = host;
  joiner.sources = host.sources + 1;
  assert_int_equal(compare(&host, &joiner), MATCH_REFUSAL_FILES);
  host.shares_code = true; // the host's code has changed, so the joiner will receive the changes
  assert_int_equal(compare(&host, &joiner), MATCH_REFUSAL_CHANGED);
  joiner.shares_code = true;
  assert_int_equal(compare(&host, &joiner), MATCH_REFUSAL_NONE);
  host.shares_code = false;
  joiner = host;
  joiner.engine = 6;
  assert_int_equal(compare(&host, &joiner), MATCH_REFUSAL_VERSION);
  joiner = host;
  memset(joiner.plugin_list, 'p', sizeof joiner.plugin_list - 2); // longer than the text buffer of a refusal
  joiner.plugins = 1;
  assert_int_equal(compare(&host, &joiner), MATCH_REFUSAL_PLUGINS);
  host_destroy(h);
}
