// Fuzzer for what `./shoal add` reads: archives of add-ons, addon.lua and addons.lock. A .tar is packed with gzip
// before it is read.
static const char *const reader_words[] = {"addon.lua", "../", "/",     "name",  "version", "requires",
                                           "ustar",     "PK",  "1.0.0", "files", "sha256",  0};
#include "reader.h"

#include "addons/addon_archive.h"
#include "addons/addon_info.h"
#include "addons/addon_lock.h"

#include <zlib.h>

enum { BLOCK = 512, MAGIC_AT = 257, SUM_AT = 148 };

static const char INFO[] = "return { name = \"score\", version = \"1.2.0\", licence = \"MIT\",\n"
                           "  requires = { menu = \">=1.0\", foes = \"2.1\" } }\n";

// --- seeds

static void write_tar_checksum(uint8_t *head) {
  uint32_t sum = 0;
  memset(head + SUM_AT, ' ', 8);
  for (uint32_t i = 0; i < BLOCK; ++i)
    sum += head[i];
  snprintf((char *)head + SUM_AT, 8, "%06o", sum);
}

static size_t write_tar_entry(uint8_t *out, const char *name, char type, const char *target, const char *text) {
  size_t bytes = strlen(text);
  memset(out, 0, BLOCK);
  snprintf((char *)out, 100, "%s", name);
  snprintf((char *)out + 100, 8, "0000644");
  snprintf((char *)out + 124, 12, "%011o", (unsigned)bytes);
  snprintf((char *)out + 136, 12, "%011o", 0u);
  out[156] = (uint8_t)type;
  snprintf((char *)out + 157, 100, "%s", target);
  memcpy(out + MAGIC_AT, "ustar\00000", 8);
  write_tar_checksum(out);
  size_t padded = (bytes + BLOCK - 1) / BLOCK * BLOCK;
  memset(out + BLOCK, 0, padded);
  memcpy(out + BLOCK, text, bytes);
  return BLOCK + padded;
}

static void put_integer(uint8_t **at, uint32_t number, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    *(*at)++ = (uint8_t)(number >> 8 * i);
}

static void put_text(uint8_t **at, const char *text, size_t bytes) {
  memcpy(*at, text, bytes);
  *at += bytes;
}

// Writes the fields that the local and the central header of a zip entry share.
static void put_zip_header(uint8_t **at, const char *name, const char *text) {
  uint32_t bytes = (uint32_t)strlen(text);
  put_integer(at, 20, 2);
  put_integer(at, 0x800, 2);
  put_integer(at, 0, 2);
  put_integer(at, 0, 4);
  put_integer(at, (uint32_t)crc32(0, (const Bytef *)text, bytes), 4);
  put_integer(at, bytes, 4);
  put_integer(at, bytes, 4);
  put_integer(at, (uint32_t)strlen(name), 2);
  put_integer(at, 0, 2);
}

static void seed_zip(void) {
  static const char *const FILES[][2] = {{"score/addon.lua", INFO}, {"score/a.txt", "text"}, {"score/b/c.txt", ""}};
  static uint8_t out[4096];
  uint32_t places[3];
  uint8_t *at = out;
  for (uint32_t i = 0; i < 3; ++i) {
    places[i] = (uint32_t)(at - out);
    put_text(&at, "PK\3\4", 4);
    put_zip_header(&at, FILES[i][0], FILES[i][1]);
    put_text(&at, FILES[i][0], strlen(FILES[i][0]));
    put_text(&at, FILES[i][1], strlen(FILES[i][1]));
  }
  uint32_t list = (uint32_t)(at - out);
  for (uint32_t i = 0; i < 3; ++i) {
    put_text(&at, "PK\1\2", 4);
    put_integer(&at, 0x0314, 2);
    put_zip_header(&at, FILES[i][0], FILES[i][1]);
    put_integer(&at, 0, 4);
    put_integer(&at, 0, 4);
    put_integer(&at, 0x81a4, 2);
    put_integer(&at, places[i], 4);
    put_text(&at, FILES[i][0], strlen(FILES[i][0]));
  }
  uint32_t bytes = (uint32_t)(at - out) - list;
  put_text(&at, "PK\5\6", 4);
  put_integer(&at, 0, 4);
  put_integer(&at, 3, 2);
  put_integer(&at, 3, 2);
  put_integer(&at, bytes, 4);
  put_integer(&at, list, 4);
  put_integer(&at, 0, 2);
  reader_seed(out, (size_t)(at - out));
}

static void seed_lock(void) {
  allocator_t memory = {0};
  addon_lock_t lock;
  addon_files_t files;
  json_writer_t text;
  addon_lock_init(&lock, &memory);
  addon_files_init(&files, &memory);
  json_writer_init(&text, &memory);
  addon_files_add(&files, "addon.lua", alloc_resize(&memory, NULL, 0, 1), 0);
  addon_files_add(&files, "systems/a.lua", alloc_resize(&memory, NULL, 0, 1), 0);
  addon_files_sort(&files);
  addon_lock_set(&lock, "score", "1.2.0", "../score", &files);
  addon_lock_set(&lock, "foes", "2.1", "../foes.zip", &files);
  addon_lock_write(&lock, &text);
  reader_seed(text.text.items, text.text.count);
  json_writer_fini(&text);
  addon_files_fini(&files);
  addon_lock_fini(&lock);
}

static void reader_setup(void) {
  static uint8_t out[16384];
  size_t size = write_tar_entry(out, "score/", '5', "", "");
  size += write_tar_entry(out + size, "score/addon.lua", '0', "", INFO);
  size += write_tar_entry(out + size, "score/a.txt", '0', "", "text");
  size += write_tar_entry(out + size, "score/b/link.txt", '2', "../a.txt", "");
  size += write_tar_entry(out + size, "score/hard.txt", '1', "score/a.txt", "");
  memset(out + size, 0, 2 * BLOCK);
  reader_seed(out, size + 2 * BLOCK);
  seed_zip();
  seed_lock();
  reader_seed(INFO, sizeof INFO - 1);
}

// --- reading

static bool is_tar(const uint8_t *data, size_t size) {
  return size > BLOCK && memcmp(data + MAGIC_AT, "ustar", 5) == 0;
}

// Checks accepted files: addon.lua exists, the paths are sorted and stay in the add-on's folder, and each file has a
// terminator and a hash.
static void check_extracted_files(const addon_files_t *f) {
  if (!addon_files_find(f, "addon.lua"))
    reader_fail("accepted without addon.lua");
  for (uint32_t i = 0; i < f->files.count; ++i) {
    const addon_file_t *file = &f->files.items[i];
    error_info_t error = {0};
    if (!addon_files_check_path(file->path, &error))
      reader_fail("%s", error.text);
    if (i > 0 && strcmp(f->files.items[i - 1].path, file->path) >= 0)
      reader_fail("the paths are not sorted: %s", file->path);
    if (file->data[file->bytes] != '\0' || strlen(file->hash) != ADDON_HASH_BYTES - 1)
      reader_fail("%s has no end or no hash", file->path);
  }
}

static bool try_archive(const char *data, size_t size) {
  allocator_t memory = {0};
  addon_files_t files;
  addon_files_init(&files, &memory);
  bool taken = addon_archive_parse(&files, data, size, NULL);
  if (taken)
    check_extracted_files(&files);
  addon_files_fini(&files);
  if (memory.bytes != 0)
    reader_fail("%zu bytes were not freed", memory.bytes);
  return taken;
}

static bool try_tar(const uint8_t *data, size_t size) {
  static uint8_t out[READER_MAX_BYTES + 4096];
  z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = out, .avail_out = sizeof out};
  deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  deflate(&z, Z_FINISH);
  deflateEnd(&z);
  return try_archive((const char *)out, z.total_out);
}

static bool try_lock(const char *text, size_t size) {
  allocator_t memory = {0};
  addon_lock_t lock, again;
  json_writer_t out;
  addon_lock_init(&lock, &memory);
  addon_lock_init(&again, &memory);
  json_writer_init(&out, &memory);
  bool taken = addon_lock_parse(&lock, text, size, NULL);
  if (taken && (!addon_lock_write(&lock, &out) || !addon_lock_parse(&again, out.text.items, out.text.count, NULL)))
    reader_fail("its own output is rejected");
  json_writer_fini(&out);
  addon_lock_fini(&again);
  addon_lock_fini(&lock);
  if (memory.bytes != 0)
    reader_fail("%zu bytes were not freed", memory.bytes);
  return taken;
}

static bool try_info(const char *text, size_t size) {
  allocator_t memory = {0};
  addon_info_t info;
  bool taken = addon_info_parse(&memory, text, size, &info, NULL);
  if (taken && (!info.name[0] || strchr(info.name, '/') || !addon_version_is_valid(info.version)))
    reader_fail("accepted the name %s and the version %s", info.name, info.version);
  if (memory.bytes != 0)
    reader_fail("%zu bytes were not freed", memory.bytes);
  return taken;
}

static bool reader_try(const uint8_t *data, size_t size) {
  if (is_tar(data, size))
    return try_tar(data, size);
  if (size > 2 && memcmp(data, "PK", 2) == 0)
    return try_archive((const char *)data, size);
  return size > 0 && data[0] == '{' ? try_lock((const char *)data, size) : try_info((const char *)data, size);
}

// Corrects the checksums of tar headers, and of zip entries that are stored without compression.
static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)room;
  for (size_t at = 0; is_tar(data, size) && at + BLOCK <= size; at += BLOCK)
    if (memcmp(data + at + MAGIC_AT, "ustar", 5) == 0)
      write_tar_checksum(data + at);
  for (size_t at = 0; at + 46 < size; ++at) {
    uint32_t place, bytes, name;
    if (memcmp(data + at, "PK\1\2", 4) != 0)
      continue;
    memcpy(&place, data + at + 42, 4);
    memcpy(&bytes, data + at + 24, 4);
    name = (uint32_t)(data[at + 28] | data[at + 29] << 8);
    if (place < size && bytes < size && (size_t)place + 30 + name + bytes <= size) {
      uint32_t crc = (uint32_t)crc32(0, data + place + 30 + name, bytes);
      memcpy(data + at + 16, &crc, 4);
      memcpy(data + place + 14, &crc, 4);
    }
  }
  return size;
}

static void reader_teardown(void) {
}
