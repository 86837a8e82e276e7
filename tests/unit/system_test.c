// Wrappers of system functions: base/dynamic_library.h, library_names.h, program_path.h, user_folders.h, user_name.h,
// file_path.h, file_status.h, file_system.h, folder_reader.h and system_random.h; also elf_format.h.
#include "base/dynamic_library.h"
#include "base/elf_format.h"
#include "base/file_path.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/folder_reader.h"
#include "base/library_names.h"
#include "base/now.h"
#include "base/program_path.h"
#include "base/system_random.h"
#include "base/user_folders.h"
#include "base/user_name.h"
#include "process/child.h"
#include "temporary_folder.h"
#include "test.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TEST(library_functions_are_found_by_name) {
  void *library = dynamic_library_open("libm.so.6");
  assert_non_null(library);
  double (*square_root)(double);
  *(void **)&square_root = dynamic_library_find(library, "sqrt");
  assert_non_null(square_root);
  assert_true(square_root(9) == 3);
  assert_null(dynamic_library_find(library, "no_such_function"));
  assert_non_null(strstr(dynamic_library_error(), "no_such_function"));
  dynamic_library_close(library);
  assert_null(dynamic_library_open("libno_such_library.so"));
  assert_non_null(strstr(dynamic_library_error(), "libno_such_library.so"));
}

TEST(libraries_have_a_name_for_each_system) {
  char name[512], previous[512] = "";
  for (library_name_t i = 0; i < LIBRARY_NAME_COUNT; ++i)
    assert_true(!library_name(i) || strstr(library_name(i), library_suffix()));
  size_t count = 0;
  while (library_name_of_llvm(count, 15, name, sizeof name)) {
    assert_true(strstr(name, "15") && strstr(name, library_suffix()) && strcmp(name, previous) != 0);
    memcpy(previous, name, sizeof name);
    ++count;
  }
  assert_true(count > 0);
}

TEST(elf_structures_have_the_layout_of_the_system_header) {
#define ASSERT_SAME_OFFSET(type_, field_, system_type_, system_field_)                                                 \
  assert_int_equal(offsetof(type_, field_), offsetof(system_type_, system_field_))
  ASSERT_SAME_OFFSET(elf_header_t, byte_order, Elf64_Ehdr, e_ident[EI_DATA]);
  ASSERT_SAME_OFFSET(elf_header_t, machine, Elf64_Ehdr, e_machine);
  ASSERT_SAME_OFFSET(elf_header_t, segments_offset, Elf64_Ehdr, e_phoff);
  ASSERT_SAME_OFFSET(elf_header_t, sections_offset, Elf64_Ehdr, e_shoff);
  ASSERT_SAME_OFFSET(elf_header_t, segment_count, Elf64_Ehdr, e_phnum);
  ASSERT_SAME_OFFSET(elf_header_t, section_count, Elf64_Ehdr, e_shnum);
  ASSERT_SAME_OFFSET(elf_header_t, names_section, Elf64_Ehdr, e_shstrndx);
  ASSERT_SAME_OFFSET(elf_segment_t, address, Elf64_Phdr, p_vaddr);
  ASSERT_SAME_OFFSET(elf_segment_t, file_bytes, Elf64_Phdr, p_filesz);
  ASSERT_SAME_OFFSET(elf_section_t, offset, Elf64_Shdr, sh_offset);
  ASSERT_SAME_OFFSET(elf_section_t, link, Elf64_Shdr, sh_link);
  ASSERT_SAME_OFFSET(elf_section_t, entry_bytes, Elf64_Shdr, sh_entsize);
  ASSERT_SAME_OFFSET(elf_symbol_t, section, Elf64_Sym, st_shndx);
  ASSERT_SAME_OFFSET(elf_symbol_t, value, Elf64_Sym, st_value);
  ASSERT_SAME_OFFSET(elf_relocation_t, addend, Elf64_Rela, r_addend);
  elf_relocation_t relocation;
  memcpy(&relocation, &(Elf64_Rela){.r_info = ELF64_R_INFO(7, R_X86_64_PLT32)}, sizeof relocation);
  assert_true(relocation.symbol == 7 && relocation.type == ELF_X86_64_CALL);
  elf_symbol_t symbol = {.info = ELF64_ST_INFO(STB_WEAK, STT_FUNC)};
  assert_true(elf_symbol_type(&symbol) == ELF_SYMBOL_FUNCTION && elf_symbol_binding(&symbol) == STB_WEAK);
#undef ASSERT_SAME_OFFSET
}

TEST(addresses_resolve_to_files_and_exported_symbols) {
  char program[PATH_MAX];
  const void *address = (const void *)(uintptr_t)now_ns;
  assert_true(program_path_find(NULL, program));
  assert_non_null(dynamic_library_path(address));
  assert_non_null(strstr(dynamic_library_path(address), strrchr(program, '/') + 1));
  assert_string_equal(dynamic_library_symbol(address), "now_ns");
  int on_stack = 0;
  assert_null(dynamic_library_path(&on_stack));
  assert_null(dynamic_library_symbol(&on_stack));
}

TEST(program_path_is_absolute_and_can_be_executed) {
  char program[PATH_MAX];
  assert_true(program_path_find("unit", program));
  assert_int_equal(program[0], '/');
  assert_int_equal(access(program, X_OK), 0);
  assert_int_equal(access(program_path_to_execute("no_such_program"), X_OK), 0);
}

static void set_or_unset(const char *variable, const char *value) {
  assert_int_equal(value ? setenv(variable, value, 1) : unsetenv(variable), 0);
}

TEST(start_of_a_path_decides_whether_it_is_absolute_or_rooted) {
  static const char *const ROOTED[] = {"/", "/a", "\\a", "\\\\server\\a", "c:", "C:/a", "c:a"}, *const RELATIVE[] = {
                                                                                                    "",     "a",
                                                                                                    "a/b",  "./a",
                                                                                                    "../a", "ab:c",
                                                                                                    "a\\b", "~"};
  assert_true(path_is_absolute("/a") && !path_is_absolute("a/b") && !path_is_absolute(""));
  for (size_t i = 0; i < sizeof ROOTED / sizeof *ROOTED; ++i)
    if (!path_is_rooted(ROOTED[i]))
      fail_msg("%s is not rooted", ROOTED[i]);
  for (size_t i = 0; i < sizeof RELATIVE / sizeof *RELATIVE; ++i)
    if (path_is_rooted(RELATIVE[i]))
      fail_msg("%s is rooted", RELATIVE[i]);
}

TEST(paths_are_resolved_without_links_and_dots) {
  char folder[64], path[256], expected[PATH_MAX], resolved[PATH_MAX];
  temporary_folder_create(folder, sizeof folder, "resolve");
  assert_true(path_resolve(folder, expected) && path_is_absolute(expected));
  assert_true(symlink(".", path_join(path, sizeof path, folder, "link")) == 0);
  path_join(path, sizeof path, folder, "link//./link/..");
  assert_true(path_resolve(path, resolved));
  assert_true(strncmp(expected, resolved, strlen(resolved)) == 0 && strlen(resolved) < strlen(expected));
  assert_true(path_resolve(path_join(path, sizeof path, folder, "link/link/"), resolved));
  assert_string_equal(resolved, expected);
  errno = 0;
  assert_false(path_resolve(path_join(path, sizeof path, folder, "missing"), resolved));
  assert_int_equal(errno, ENOENT);
  temporary_folder_remove(folder);
}

TEST(user_folders_follow_absolute_paths_in_the_environment) {
  char home[PATH_MAX], data[PATH_MAX], out[PATH_MAX];
  const char *old_home = getenv("HOME"), *old_data = getenv("XDG_DATA_HOME");
  snprintf(home, sizeof home, "%s", old_home ? old_home : "");
  snprintf(data, sizeof data, "%s", old_data ? old_data : "");
  set_or_unset("HOME", "/home/ann");
  set_or_unset("XDG_DATA_HOME", "relative");
  assert_int_equal(user_folder_find(USER_FOLDER_DATA, "shoal/saves", out, sizeof out), 34);
  assert_string_equal(out, "/home/ann/.local/share/shoal/saves");
  assert_true(user_folder_set(USER_FOLDER_DATA, "/data"));
  assert_int_equal(user_folder_find(USER_FOLDER_DATA, "shoal", out, 4),
                   11); // the path's length, which exceeds the buffer
  assert_string_equal(out, "/da");
  set_or_unset("XDG_DATA_HOME", NULL);
  set_or_unset("HOME", NULL);
  assert_int_equal(user_folder_find(USER_FOLDER_DATA, "shoal", out, sizeof out), -1);
  set_or_unset("HOME", old_home ? home : NULL);
  set_or_unset("XDG_DATA_HOME", old_data ? data : NULL);
}

TEST(user_name_is_found_and_truncated) {
  char name[64] = "", start[3];
  user_name_find(name, sizeof name);
  assert_true(strlen(name) > 2);
  user_name_find(start, sizeof start);
  assert_true(strlen(start) == 2 && strncmp(start, name, 2) == 0);
}

TEST(random_bytes_of_the_system_differ_from_call_to_call) {
  unsigned char first[256] = {0}, second[256] = {0};
  assert_true(system_random(first, sizeof first));
  assert_true(system_random(second, sizeof second));
  assert_memory_not_equal(first, second, sizeof first);
}

TEST(sleeping_takes_at_least_the_requested_time) {
  int64_t start = now_ns();
  now_sleep_ns(3 * NS_PER_MS);
  assert_true(now_ns() - start >= 3 * NS_PER_MS);
  start = now_ns();
  now_sleep_ns(-1);
  now_sleep_ns(0);
  assert_true(now_ns() - start < 1000 * INT64_C(1000000));
}

TEST(file_status_describes_files_folders_and_links) {
  char folder[64], file[96], link[96];
  file_status_t status, of_link, of_folder, old;
  temporary_folder_create(folder, sizeof folder, "status");
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(link, sizeof link, "%s/link", folder);
  assert_true(file_write(file, "12345", 5, NULL));
  assert_int_equal(symlink("file", link), 0);
  assert_true(file_status(link, &status) && file_status_of_link(link, &of_link) && file_status(folder, &of_folder));
  assert_int_equal(status.type, FILE_TYPE_REGULAR);
  assert_int_equal(status.size_bytes, 5);
  assert_true(file_status_is_own(&status));
  assert_int_equal(of_link.type, FILE_TYPE_LINK);
  assert_int_equal(of_folder.type, FILE_TYPE_FOLDER);
  assert_false(file_status_is_same(&status, &of_link));
  old = status;
  old.modified_ns = -1;
  old.accessed_ns = INT64_C(86400000000001);
  assert_true(file_status_set_times(file, &old) && file_status_set_permissions(file, 0400));
  assert_true(file_status(file, &status));
  assert_true(file_status_is_same(&status, &old));
  assert_int_equal(status.modified_ns, -1);
  assert_int_equal(status.accessed_ns, old.accessed_ns);
  assert_int_equal(status.permissions, 0400);
  assert_int_equal(unlink(file), 0);
  assert_false(file_status(link, &status));
  assert_true(file_status_of_link(link, &of_link));
  assert_int_equal(unlink(link), 0);
  assert_int_equal(rmdir(folder), 0);
}

TEST(folder_reader_returns_each_name_with_its_type) {
  char folder[64], path[96];
  unsigned found = 0;
  file_type_t type;
  file_status_t status;
  temporary_folder_create(folder, sizeof folder, "reader");
  assert_true(file_write(path_join(path, sizeof path, folder, "file"), "1", 1, NULL));
  assert_int_equal(symlink("file", path_join(path, sizeof path, folder, "link")), 0);
  assert_true(file_system_create_folder(path_join(path, sizeof path, folder, "folder"), false));
  folder_reader_o *reader = folder_reader_open(folder);
  assert_non_null(reader);
  for (const char *name; (name = folder_reader_next(reader, &type));) {
    assert_true(folder_reader_status(reader, name, &status));
    assert_true(type == status.type || type == FILE_TYPE_UNKNOWN);
    found += strcmp(name, "file") == 0     ? status.type == FILE_TYPE_REGULAR
             : strcmp(name, "link") == 0   ? 10 * (status.type == FILE_TYPE_LINK)
             : strcmp(name, "folder") == 0 ? 100 * (status.type == FILE_TYPE_FOLDER)
                                           : 1000;
  }
  assert_int_equal(errno, 0);
  assert_int_equal(found, 111);
  assert_false(folder_reader_remove_file(reader, "folder"));
  assert_true(folder_reader_remove_file(reader, "link"));
  assert_false(file_status_of_link(path_join(path, sizeof path, folder, "link"), &status));
  folder_reader_close(reader);
  folder_reader_close(NULL);
  assert_null(folder_reader_open(path));
  temporary_folder_remove(folder);
}

TEST(suggestion_for_a_missing_file_does_not_depend_on_folder_order) {
  char folder[64], path[96];
  error_info_t error = {0};
  allocator_t memory = {0};
  size_t size;
  temporary_folder_create(folder, sizeof folder, "hint");
  for (char letter = 'z'; letter >= 'b'; --letter) {
    char name[] = {'h', 'e', 'r', letter, '\0'};
    assert_true(file_write(path_join(path, sizeof path, folder, name), "", 0, NULL));
  }
  assert_null(file_read(&memory, path_join(path, sizeof path, folder, "hera"), &size, &error));
  assert_non_null(strstr(error.text, "did you mean herb?"));
  temporary_folder_remove(folder);
}

TEST(file_permissions_determine_permitted_uses) {
  char folder[64], path[96];
  temporary_folder_create(folder, sizeof folder, "uses");
  assert_true(file_write(path_join(path, sizeof path, folder, "file"), "", 0, NULL));
  assert_true(file_status_set_permissions(path, 0600));
  assert_true(file_status_permits(path, FILE_USE_READ | FILE_USE_WRITE));
  assert_false(file_status_permits(path, FILE_USE_EXECUTE));
  assert_true(file_status_permits(folder, FILE_USE_WRITE | FILE_USE_EXECUTE));
  assert_false(file_status_permits(path_join(path, sizeof path, folder, "missing"), FILE_USE_READ));
  temporary_folder_remove(folder);
}

TEST(file_system_locks_exchanges_and_removes_files) {
  char folder[64], a[96], b[96], bytes[8] = {0};
  temporary_folder_create(folder, sizeof folder, "files");
  path_join(a, sizeof a, folder, "a");
  path_join(b, sizeof b, folder, "b");
  int file = file_system_create_private(a);
  assert_true(file >= 0);
  assert_int_equal(file_system_create_private(a), -1);
  assert_true(file_system_close(file));
  file = file_system_open_private(a);
  assert_true(file_system_write_start(file, "12345", 5) && file_system_write_start(file, "ab", 2));
  assert_int_equal(file_system_read_at(file, 0, bytes, sizeof bytes), 5);
  assert_string_equal(bytes, "ab345");
  int second = file_system_open_private(a);
  assert_true(file_system_lock(file));
  assert_false(file_system_lock(second));
  assert_true(file_system_close(file));
  assert_true(file_system_lock(second) && file_system_close(second));
  assert_true(file_system_create_folder(b, true));
  assert_true(file_system_exchange(a, b));
  assert_true(file_is_folder(a) && file_exists(b));
  assert_false(file_system_add_name(b, a));
  assert_int_equal(errno, EEXIST);
  assert_true(file_system_remove_folder(a) && file_system_add_name(b, a));
  int open_folder = file_system_open_folder(folder);
  assert_true(file_system_synchronize(open_folder) && file_system_close(open_folder));
  file_system_remove_tree(folder);
  assert_false(path_exists(folder));
}

TEST(entries_of_an_open_folder_are_created_replaced_and_removed) {
  char folder[64], path[96], bytes[8] = {0};
  temporary_folder_create(folder, sizeof folder, "entries");
  path_join(path, sizeof path, folder, "a");
  int open_folder = file_system_open_folder(folder), file = file_system_create_entry(open_folder, "a.new");
  assert_true(file >= 0 && file_system_write(file, "12345", 5) == 5 && file_system_write_at(file, 1, "ab", 2));
  assert_true(file_system_synchronize_file(file) && file_system_close(file));
  assert_int_equal(file_system_create_entry(open_folder, "a.new"), -1);
  assert_true(file_system_replace_entry(open_folder, "a.new", "a"));
  file = file_system_open(path, false);
  assert_true(file_system_read(file, bytes, 3) == 3 && file_system_read(file, bytes + 3, 5) == 2);
  assert_string_equal(bytes, "1ab45");
  assert_int_equal(file_system_read(file, bytes, sizeof bytes), 0);
  assert_true(file_system_close(file));
  file = file_system_open(path, true);
  assert_true(file_system_empty(file) && file_system_close(file));
  assert_true(file_system_remove_entry(open_folder, "a") && !file_exists(path));
  assert_int_equal(file_system_open(path, false), -1);
  assert_true(file_system_create_folder(path, false) && !file_system_remove_entry(open_folder, "a"));
  assert_true(file_system_remove_folder_entry(open_folder, "a") && file_system_close(open_folder));
  temporary_folder_remove(folder);
}

static void lock_second_byte(void *context, int pipe) {
  int file = file_system_open_private(context);
  bool is_locked = file_system_lock_byte(file, 2), has_other = file_system_lock_byte(file, 1);
  long holder = -1;
  bool is_held = file_system_find_lock_holder(file, 1, &holder);
  child_write(pipe, &(long[]){is_locked && !has_other && is_held ? holder : -1}, sizeof holder);
}

static void lock_first_byte(void *context, int pipe) {
  int file = file_system_open_private(context);
  child_write(pipe, &(long[]){file_system_lock_byte(file, 1)}, sizeof(long));
}

TEST(bytes_of_a_file_are_locked_by_one_process) {
  char folder[64], path[96];
  child_t child;
  long holder = 0;
  temporary_folder_create(folder, sizeof folder, "locks");
  int file = file_system_open_private(path_join(path, sizeof path, folder, "file"));
  assert_true(file_system_lock_byte(file, 1) && file_system_lock_byte(file, 1));
  assert_false(file_system_find_lock_holder(file, 2, &holder));
  assert_true(child_begin(&child, 10000, lock_second_byte, path) && child_read(&child, &holder, sizeof holder));
  assert_int_equal(holder, process_id());
  child_end(&child);
  assert_true(file_system_lock_byte(file, 2));
  file_system_unlock_byte(file, 1);
  assert_true(child_begin(&child, 10000, lock_first_byte, path) && child_read(&child, &holder, sizeof holder));
  assert_int_equal(holder, 1);
  child_end(&child);
  assert_true(file_system_close(file));
  temporary_folder_remove(folder);
}

TEST(duplicates_stay_open_and_closed_standard_files_are_replaced) {
  char folder[64], path[96];
  temporary_folder_create(folder, sizeof folder, "copies");
  int file = file_system_create_private(path_join(path, sizeof path, folder, "file")),
      copy = file_system_duplicate(file);
  assert_true(copy != file && fcntl(copy, F_GETFD) == FD_CLOEXEC);
  assert_true(file_system_close(file) && !file_system_is_open(file) && file_system_write(copy, "1", 1) == 1);
  assert_true(fcntl(copy, F_SETFD, 0) == 0);
  file_system_disable_inheritance(copy);
  assert_int_equal(fcntl(copy, F_GETFD), FD_CLOEXEC);
  assert_false(file_system_reopen_standard_files());
  int input = file_system_duplicate(STDIN_FILENO);
  assert_true(file_system_close(STDIN_FILENO) && file_system_reopen_standard_files());
  assert_int_equal(file_system_read(STDIN_FILENO, path, 1), 0); // the null device is empty
  assert_true(dup2(input, STDIN_FILENO) == STDIN_FILENO && file_system_close(input) && file_system_close(copy));
  temporary_folder_remove(folder);
}

TEST(open_unlinked_does_not_follow_links) {
  char folder[64], path[96], link[96];
  temporary_folder_create(folder, sizeof folder, "unlinked");
  path_join(path, sizeof path, folder, "file");
  path_join(link, sizeof link, folder, "link");
  assert_true(file_system_close(file_system_create_private(path)) && symlink("file", link) == 0);
  assert_int_equal(file_system_open_unlinked(link), -1);
  int file = file_system_open_unlinked(path);
  assert_true(file >= 0 && file_system_close(file));
  temporary_folder_remove(folder);
}

TEST(temporary_files_and_folders_have_unique_names) {
  char folder[] = "/tmp/shoal-new-XXXXXX", file[64];
  assert_true(file_system_create_temporary_folder(folder));
  snprintf(file, sizeof file, "%s/part-XXXXXX.so", folder);
  int descriptor = file_system_create_temporary(file, 3);
  assert_true(descriptor >= 0 && file_system_close(descriptor));
  assert_true(file_exists(file) && path_ends_with(file, ".so") && !strstr(file, "XXXXXX"));
  file_system_remove_tree(folder);
}

// Files of /proc have the size 0 for stat.
TEST(file_of_unknown_size_is_read_to_its_end) {
  allocator_t a = {0};
  size_t size = 0;
  char *text = file_read(&a, "/proc/self/status", &size, NULL);
  assert_non_null(text);
  assert_int_equal(strlen(text), size);
  assert_non_null(strstr(text, "\nnonvoluntary_ctxt_switches:"));
  file_free(&a, text, size);
}
