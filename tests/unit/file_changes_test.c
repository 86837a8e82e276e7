// Proposed changes of files (cockpit/file_changes.h) in a temporary folder, and their diffs (cockpit/line_diff.h).
#include "base/file_system.h"
#include "cockpit/file_changes.h"

#include "base/files.h"
#include "cockpit/line_diff.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static allocator_t memory;
static error_info_t error;

typedef struct changes_fixture_t {
  char folder[64];
  file_changes_t changes;
} changes_fixture_t;

static const char *path_of(const changes_fixture_t *p, const char *name) {
  static char path[512];
  return path_join(path, sizeof path, p->folder, name);
}

static void write_file_text(const changes_fixture_t *p, const char *name, const char *text) {
  assert_true(file_write(path_of(p, name), text, strlen(text), &error));
}

static void assert_file(const changes_fixture_t *p, const char *name, const char *text) {
  size_t bytes = 0;
  char *found = file_read(&memory, path_of(p, name), &bytes, &error);
  assert_non_null(found);
  assert_string_equal(found, text);
  file_free(&memory, found, bytes);
}

static void put_change(changes_fixture_t *p, const char *name, const char *text) {
  assert_true(file_changes_put(&p->changes, name, text, strlen(text), &error));
}

static const char *read_text(changes_fixture_t *p, const char *name) {
  size_t bytes = 0;
  const char *text = file_changes_read(&p->changes, name, &bytes, &error);
  assert_true(!text || strlen(text) == bytes);
  return text;
}

static const char *write_stamp(const changes_fixture_t *p) {
  static char stamp[512];
  json_writer_t out;
  json_writer_init(&out, &memory);
  file_changes_write_stamp(&p->changes, &out);
  snprintf(stamp, sizeof stamp, "%.*s", (int)out.text.count, out.text.items);
  json_writer_fini(&out);
  return stamp;
}

static void assert_applied(changes_fixture_t *p) {
  if (!file_changes_apply(&p->changes, write_stamp(p), &error))
    fail_msg("%s", error.text);
}

static void assert_refused(changes_fixture_t *p, const char *stamp, const char *message) {
  assert_false(file_changes_apply(&p->changes, stamp, &error));
  assert_string_equal(error.text, message);
}

static void restart_changes(changes_fixture_t *p) {
  file_changes_fini(&p->changes);
  file_changes_init(&p->changes, &memory, p->folder);
}

SETUP(changes_fixture_t, p) {
  temporary_folder_create(p->folder, sizeof p->folder, "changes");
  file_changes_init(&p->changes, &memory, p->folder);
}

TEARDOWN(changes_fixture_t, p) {
  char command[256];
  file_changes_fini(&p->changes);
  snprintf(command, sizeof command, "chmod -R u+w %s && rm -rf %s", p->folder, p->folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(memory.bytes, 0);
}

TEST_IN(changed_and_created_files_are_written_together_and_undone, changes_fixture_t, p) {
  write_file_text(p, "a.lua", "return 1\n");
  chmod(path_of(p, "a.lua"), 0640);
  assert_string_equal(read_text(p, "a.lua"), "return 1\n");
  put_change(p, "a.lua", "return 2\n");
  assert_string_equal(read_text(p, "a.lua"), "return 2\n");
  assert_false(file_changes_exists(&p->changes, "deep/er/b.lua"));
  put_change(p, "deep/er/b.lua", "return 3\n");
  assert_true(file_changes_exists(&p->changes, "deep/er/b.lua"));
  assert_int_equal(file_changes_count(&p->changes), 2);
  assert_file(p, "a.lua", "return 1\n");
  assert_applied(p);
  assert_file(p, "a.lua", "return 2\n");
  assert_file(p, "deep/er/b.lua", "return 3\n");
  struct stat info;
  assert_int_equal(stat(path_of(p, "a.lua"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  assert_true(file_changes_undo(&p->changes, &error));
  assert_file(p, "a.lua", "return 1\n");
  assert_false(path_exists(path_of(p, "deep/er")));
}

TEST_IN(file_changed_since_its_diff_is_not_overwritten, changes_fixture_t, p) {
  char shown[512];
  write_file_text(p, "a.lua", "return 1\n");
  write_file_text(p, "b.lua", "return 1\n");
  put_change(p, "a.lua", "return 2\n");
  put_change(p, "b.lua", "return 2\n");
  snprintf(shown, sizeof shown, "%s", write_stamp(p));
  write_file_text(p, "b.lua", "return 10\n"); // the file changes after it was read and before it is written
  assert_refused(p, shown, "b.lua has changed since its diff was shown: check the new diff");
  assert_file(p, "a.lua", "return 1\n");
  assert_file(p, "b.lua", "return 10\n");
  restart_changes(p); // proposed again, with the stamp of the previous diff
  put_change(p, "a.lua", "return 2\n");
  put_change(p, "b.lua", "return 2\n");
  assert_refused(p, shown, "b.lua has changed since its diff was shown: check the new diff");
  assert_refused(p, "0:0", "the change differs from the diff that was shown: check the new diff");
  assert_applied(p);
  assert_file(p, "b.lua", "return 2\n");
}

TEST_IN(change_that_differs_from_its_stamp_is_refused, changes_fixture_t, p) {
  char shown[512];
  write_file_text(p, "a.lua", "return 1\n");
  put_change(p, "a.lua", "return 2\n");
  snprintf(shown, sizeof shown, "%s", write_stamp(p));
  put_change(p, "a.lua", "return 3\n");
  assert_refused(p, shown, "the change differs from the diff that was shown: check the new diff");
  assert_file(p, "a.lua", "return 1\n");
}

TEST_IN(file_creation_does_not_overwrite_a_file_created_meanwhile, changes_fixture_t, p) {
  put_change(p, "new.lua", "return 1\n");
  write_file_text(p, "new.lua", "mine\n");
  assert_refused(p, write_stamp(p), "new.lua has changed since its diff was shown: check the new diff");
  assert_file(p, "new.lua", "mine\n");
}

TEST_IN(undo_is_refused_if_a_written_file_has_changed, changes_fixture_t, p) {
  write_file_text(p, "a.lua", "return 1\n");
  put_change(p, "a.lua", "return 2\n");
  put_change(p, "b.lua", "return 2\n");
  assert_applied(p);
  write_file_text(p, "b.lua", "return 3\n");
  assert_false(file_changes_undo(&p->changes, &error));
  assert_string_equal(error.text, "cannot undo: b.lua has changed since it was written");
  assert_file(p, "a.lua", "return 2\n");
  assert_file(p, "b.lua", "return 3\n");
}

TEST_IN(written_files_are_restored_when_a_later_write_fails, changes_fixture_t, p) {
  write_file_text(p, "a.lua", "return 1\n");
  file_system_create_folder(path_of(p, "shut"), false);
  put_change(p, "a.lua", "return 2\n");
  put_change(p, "shut/b.lua", "return 2\n");
  chmod(path_of(p, "shut"), 0555);
  if (geteuid() == 0) // root can write to every folder, so a folder blocks the path of the temporary file
    rmdir(path_of(p, "shut")), write_file_text(p, "shut", "a file, not a folder\n");
  assert_false(file_changes_apply(&p->changes, write_stamp(p), &error));
  assert_file(p, "a.lua", "return 1\n");
}

TEST_IN(change_of_a_read_only_file_is_refused, changes_fixture_t, p) {
  write_file_text(p, "a.lua", "return 1\n");
  chmod(path_of(p, "a.lua"), 0444);
  put_change(p, "a.lua", "return 2\n");
  assert_refused(p, write_stamp(p), "a.lua is read-only: change the permissions of the file");
  assert_file(p, "a.lua", "return 1\n");
}

TEST_IN(file_names_outside_the_folder_are_refused, changes_fixture_t, p) {
  static const char *const names[] = {"../a.lua", "/etc/passwd", "", "a/../../b.lua", "outside/a.lua"};
  assert_int_equal(symlink("/tmp", path_of(p, "outside")), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    assert_null(read_text(p, names[i]));
    assert_false(file_changes_put(&p->changes, names[i], "x", 1, &error));
  }
  assert_int_equal(file_changes_count(&p->changes), 0);
}

TEST_IN(symlink_inside_the_folder_is_kept_when_its_target_changes, changes_fixture_t, p) {
  write_file_text(p, "kept.lua", "return 1\n");
  assert_int_equal(symlink("kept.lua", path_of(p, "link.lua")), 0);
  put_change(p, "link.lua", "return 2\n");
  assert_applied(p);
  struct stat info;
  assert_int_equal(lstat(path_of(p, "link.lua"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_file(p, "kept.lua", "return 2\n");
}

TEST_IN(text_equal_to_the_file_is_not_a_change, changes_fixture_t, p) {
  write_file_text(p, "a.lua", "return 1\n");
  put_change(p, "a.lua", "return 2\n");
  put_change(p, "a.lua", "return 1\n");
  assert_int_equal(file_changes_count(&p->changes), 0);
  assert_refused(p, write_stamp(p), "nothing to write: the files already contain the change");
}

TEST_IN(undo_restores_a_removed_file_with_its_permissions, changes_fixture_t, p) {
  struct stat info;
  write_file_text(p, "a.lua", "return 1\n");
  assert_int_equal(chmod(path_of(p, "a.lua"), 0640), 0);
  assert_false(file_changes_remove(&p->changes, "b.lua", &error));
  assert_string_equal(error.text, "b.lua: file not found");
  assert_true(file_changes_remove(&p->changes, "a.lua", &error));
  put_change(p, "c.lua", "return 3\n");
  assert_false(file_changes_exists(&p->changes, "a.lua"));
  assert_null(read_text(p, "a.lua"));
  assert_int_equal(file_changes_count(&p->changes), 2);
  assert_applied(p);
  assert_false(path_exists(path_of(p, "a.lua")));
  write_file_text(p, "a.lua", "new");
  assert_false(file_changes_undo(&p->changes, &error));
  assert_string_equal(error.text, "cannot undo: a.lua has changed since it was written");
  assert_int_equal(unlink(path_of(p, "a.lua")), 0);
  assert_true(file_changes_undo(&p->changes, &error));
  assert_file(p, "a.lua", "return 1\n");
  assert_false(path_exists(path_of(p, "c.lua")));
  assert_int_equal(stat(path_of(p, "a.lua"), &info), 0);
  assert_int_equal(info.st_mode & 07777, 0640);
}

static void assert_description(changes_fixture_t *p, const char *expected) {
  json_writer_t out;
  json_writer_init(&out, &memory);
  json_write_begin(&out, '{');
  file_changes_describe(&p->changes, &out);
  json_write_end(&out, '}');
  char *text = json_writer_detach_text(&out);
  assert_string_equal(text, expected);
  alloc_resize(&memory, text, strlen(text) + 1, 0);
}

TEST_IN(description_of_a_file_that_is_removed_after_a_change_shows_only_its_old_lines, changes_fixture_t, p) {
  char expected[1700], stamp[512];
  write_file_text(p, "a.lua", "return 1\n");
  assert_true(file_changes_remove(&p->changes, "a.lua", &error));
  snprintf(stamp, sizeof stamp, "%s", write_stamp(p));
  put_change(p, "a.lua", "return { 2, 3, 4 }\n");
  assert_true(file_changes_remove(&p->changes, "a.lua", &error));
  assert_string_equal(write_stamp(p), stamp);
  snprintf(expected, sizeof expected,
           "{\"stamp\":\"%s\",\"files\":[{\"file\":\"a.lua\",\"created\":false,\"removed\":true,\"diff\":\"--- "
           "a/a.lua\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-return 1\\n\"}]}",
           stamp);
  assert_description(p, expected);
}

TEST_IN(description_of_changes_contains_stamp_and_diffs, changes_fixture_t, p) {
  char expected[1700]; // write_stamp returns at most 511 bytes
  write_file_text(p, "a.lua", "return 1\n");
  put_change(p, "a.lua", "return 2");
  put_change(p, "b.lua", "b\n");
  snprintf(expected, sizeof expected,
           "{\"stamp\":\"%s\",\"files\":[{\"file\":\"a.lua\",\"created\":false,\"removed\":false,\"diff\":\"--- "
           "a/a.lua\\n+++ b/a.lua\\n"
           "@@ -1 +1 @@\\n-return 1\\n+return 2\\n\\\\ No newline at end of file\\n\"},"
           "{\"file\":\"b.lua\",\"created\":true,\"removed\":false,\"diff\":\"--- /dev/null\\n+++ b/b.lua\\n@@ -0,0 +1 "
           "@@\\n+b\\n\"}]}",
           write_stamp(p));
  assert_description(p, expected);
}

// --- diffs

static void assert_diff(const char *before, const char *after, const char *expected) {
  json_writer_t out;
  json_writer_init(&out, &memory);
  line_diff_write(&out, "x", before, before ? strlen(before) : 0, after, strlen(after));
  char *text = json_writer_detach_text(&out);
  assert_string_equal(text, expected);
  alloc_resize(&memory, text, strlen(text) + 1, 0);
}

TEST(diffs_have_three_lines_of_context_and_merge_close_hunks) {
  assert_diff("a\n", "a\n", "");
  assert_diff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nx\n6\n", "--- a/x\n+++ b/x\n@@ -3,4 +3,5 @@\n 3\n 4\n 5\n+x\n 6\n");
  assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "a\n2\n3\n4\n5\n6\n7\nb\n",
              "--- a/x\n+++ b/x\n@@ -1,8 +1,8 @@\n-1\n+a\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+b\n");
  assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "a\n2\n3\n4\n5\n6\n7\n8\nb\n",
              "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-1\n+a\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+b\n");
  assert_diff("a\r\nb\r\n", "a\r\nb\n", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n");
  assert_diff("a", "a\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  assert_diff("a\n", "", "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n");
  assert_diff(NULL, "a\nb\n", "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
}

static uint32_t seed = 7;
static uint32_t random_below(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)seed * below >> 32);
}

// Applies a unified diff, checking the lines that it keeps and removes. Stores the result in `out`.
static void apply_diff(const char *before, const char *diff, char *out) {
  const char *at = before;
  for (const char *line = diff, *end; *line; line = end) {
    end = strchr(line, '\n') + 1;
    unsigned first = 0;
    if (strncmp(line, "---", 3) == 0 || strncmp(line, "+++", 3) == 0)
      continue;
    if (sscanf(line, "@@ -%u", &first) == 1) {
      const char *target = before;
      bool empty = strstr(line, ",0 +") && strstr(line, ",0 +") < end;
      for (unsigned i = empty ? 0 : 1; i < first; ++i)
        target = strchr(target, '\n') + 1;
      memcpy(out, at, (size_t)(target - at));
      out += target - at;
      at = target;
      continue;
    }
    size_t bytes = (size_t)(end - line) - 1;
    if (*line != '+') {
      assert_memory_equal(at, line + 1, bytes);
      at += bytes;
    }
    if (*line != '-') {
      memcpy(out, line + 1, bytes);
      out += bytes;
    }
  }
  strcpy(out, at);
}

TEST(random_diffs_turn_the_old_text_into_the_new_one) {
  static char texts[2][4096], result[8192];
  for (uint32_t round = 0; round < 1000; ++round) {
    uint32_t kinds = 1 + random_below(12);
    for (int i = 0; i < 2; ++i) {
      char *at = texts[i];
      for (uint32_t line = random_below(round % 10 == 0 ? 400 : 40); line > 0; --line)
        at += sprintf(at, "%c\n", (char)('a' + random_below(kinds)));
      *at = '\0';
    }
    json_writer_t out;
    json_writer_init(&out, &memory);
    line_diff_write(&out, "x", texts[0], strlen(texts[0]), texts[1], strlen(texts[1]));
    char *diff = json_writer_detach_text(&out);
    apply_diff(texts[0], diff, result);
    assert_string_equal(result, texts[1]);
    alloc_resize(&memory, diff, strlen(diff) + 1, 0);
  }
}

TEST(diff_of_thousands_of_changed_lines_is_applicable) {
  static char a[40000], b[40000], result[80000];
  char *p = a, *q = b;
  for (int i = 0; i < 3000; ++i) {
    p += sprintf(p, "a%d\n", i);
    q += sprintf(q, "b%d\n", i);
  }
  json_writer_t out;
  json_writer_init(&out, &memory);
  line_diff_write(&out, "x", a, strlen(a), b, strlen(b));
  char *diff = json_writer_detach_text(&out);
  apply_diff(a, diff, result);
  assert_string_equal(result, b);
  alloc_resize(&memory, diff, strlen(diff) + 1, 0);
}
