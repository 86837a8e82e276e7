// Reads the symbol and line tables of ELF files. All reads use a bounds-checked cursor: past the end, the cursor
// returns zeros and sets `broken`.
#include "crash/symbols.h"

#include "base/assert.h"
#include "base/varint.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

typedef struct bytes_t {
  const uint8_t *at;
  size_t size;
} bytes_t;

typedef struct cursor_t {
  const uint8_t *at, *end;
  bool broken; // true after a read past the end
} cursor_t;

// --- reading

static cursor_t create_cursor(bytes_t b) {
  return (cursor_t){.at = b.at, .end = b.at ? b.at + b.size : b.at};
}

static uint64_t read_value(cursor_t *c, size_t bytes) {
  uint64_t value = 0;
  shoal_assert(bytes <= sizeof value, "cannot read a number of %zu bytes (at most 8)", bytes);
  if ((size_t)(c->end - c->at) < bytes) {
    c->broken = true;
    c->at = c->end;
    return 0;
  }
  memcpy(&value, c->at, bytes); // the file and the supported processors are little-endian
  c->at += bytes;
  return value;
}

static void skip_bytes(cursor_t *c, uint64_t bytes) {
  shoal_assert(c->at <= c->end, "cursor is past the end");
  c->broken |= bytes > (uint64_t)(c->end - c->at);
  c->at = c->broken ? c->end : c->at + bytes;
}

static uint64_t read_leb(cursor_t *c) {
  uint64_t value;
  size_t used = varint_read(c->at, (size_t)(c->end - c->at), &value);
  c->broken |= used == 0;
  c->at = used > 0 ? c->at + used : c->end;
  return value;
}

static int64_t read_signed_leb(cursor_t *c) {
  uint64_t value = 0, byte = 0x80;
  uint32_t shift = 0;
  for (; (byte & 0x80) && !c->broken; shift += 7) {
    byte = read_value(c, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
  }
  if (shift < 64 && (byte & 0x40))
    value |= UINT64_MAX << shift;
  return (int64_t)value;
}

static const char *read_text(cursor_t *c) {
  const char *text = (const char *)c->at;
  const uint8_t *end = c->at < c->end ? memchr(c->at, 0, (size_t)(c->end - c->at)) : NULL;
  c->broken |= !end;
  c->at = end ? end + 1 : c->end;
  return end ? text : "";
}

static const char *get_text_at(bytes_t b, uint64_t offset) {
  shoal_assert(b.at || b.size == 0, "at is NULL, but size is %zu", b.size);
  cursor_t c = create_cursor(b);
  skip_bytes(&c, offset);
  return read_text(&c);
}

// --- ELF file

static bool read_header(bytes_t file, Elf64_Ehdr *out) {
  if (file.size < sizeof *out)
    return false;
  memcpy(out, file.at, sizeof *out);
  return memcmp(out->e_ident, ELFMAG, SELFMAG) == 0 && out->e_ident[EI_CLASS] == ELFCLASS64 &&
         out->e_ident[EI_DATA] == ELFDATA2LSB;
}

static bool read_entry(bytes_t file, uint64_t offset, uint32_t i, size_t bytes, void *out) {
  if (offset > file.size || (file.size - offset) / bytes <= i)
    return false;
  memcpy(out, file.at + offset + i * bytes, bytes);
  return true;
}

static bool read_section(bytes_t file, const Elf64_Ehdr *e, uint32_t i, Elf64_Shdr *out) {
  return i < e->e_shnum && e->e_shentsize == sizeof *out && read_entry(file, e->e_shoff, i, sizeof *out, out);
}

static bytes_t get_section_bytes(bytes_t file, const Elf64_Shdr *s) {
  bool present = s->sh_type != SHT_NOBITS && !(s->sh_flags & SHF_COMPRESSED) && s->sh_offset <= file.size &&
                 s->sh_size <= file.size - s->sh_offset;
  return present ? (bytes_t){file.at + s->sh_offset, s->sh_size} : (bytes_t){0};
}

static bytes_t find_section(bytes_t file, const Elf64_Ehdr *e, const char *name) {
  Elf64_Shdr s, names;
  if (!read_section(file, e, e->e_shstrndx, &names))
    return (bytes_t){0};
  bytes_t section_names = get_section_bytes(file, &names);
  for (uint32_t i = 0; read_section(file, e, i, &s); ++i)
    if (strcmp(get_text_at(section_names, s.sh_name), name) == 0)
      return get_section_bytes(file, &s);
  return (bytes_t){0};
}

bool symbols_find_shift(const uint8_t *bytes, size_t size, uint64_t offset, uint64_t *out) {
  bytes_t file = {bytes, size};
  Elf64_Ehdr e;
  Elf64_Phdr p;
  if (!read_header(file, &e) || e.e_phentsize != sizeof p)
    return false;
  for (uint32_t i = 0; i < e.e_phnum && read_entry(file, e.e_phoff, i, sizeof p, &p); ++i) {
    uint64_t first = p.p_offset & ~UINT64_C(0xfff); // whole pages are mapped
    if (p.p_type != PT_LOAD || offset < first || offset - first >= p.p_filesz + (p.p_offset - first))
      continue;
    *out = p.p_vaddr - p.p_offset;
    return true;
  }
  return false;
}

// --- functions

// Demangles a name: "_ZN5stove4growEv" becomes stove::grow. Drops the template arguments of a function outside
// namespaces and classes. Does not demangle names that it cannot parse: those with other template arguments,
// constructors or operators.
static void demangle_name(const char *name, char *out, size_t capacity) {
  const char *at = name;
  size_t used = 0;
  snprintf(out, capacity, "%s", name);
  if (strncmp(at, "_Z", 2) != 0)
    return;
  at += 2;
  bool nested = *at == 'N';
  at += nested;
  while (*at == 'L' || *at == 'K') // L: static; K: const
    ++at;
  do {
    size_t bytes = 0;
    for (; *at >= '0' && *at <= '9' && bytes < capacity; ++at)
      bytes = bytes * 10 + (size_t)(*at - '0');
    if (bytes == 0 || strlen(at) < bytes || used + bytes + 3 > capacity) {
      snprintf(out, capacity, "%s", name);
      return;
    }
    const char *part = strncmp(at, "_GLOBAL__N_", 11) == 0 ? "(anonymous)" : at;
    used +=
        (size_t)snprintf(out + used, capacity - used, "%s%.*s", used ? "::" : "", part == at ? (int)bytes : 11, part);
    at += bytes;
    while (nested && *at == 'L')
      ++at;
  } while (nested && *at && *at != 'E');
}

static bool find_in_table(bytes_t file, const Elf64_Ehdr *e, uint32_t type, uint64_t address, symbols_location_t *out) {
  Elf64_Shdr table, names;
  Elf64_Sym s;
  for (uint32_t i = 0; read_section(file, e, i, &table); ++i) {
    if (table.sh_type != type || table.sh_entsize != sizeof s || !read_section(file, e, table.sh_link, &names))
      continue;
    bytes_t entries = get_section_bytes(file, &table);
    for (uint32_t k = 0; read_entry(entries, 0, k, sizeof s, &s); ++k) {
      if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || address < s.st_value ||
          address - s.st_value >= s.st_size)
        continue;
      demangle_name(get_text_at(get_section_bytes(file, &names), s.st_name), out->function, sizeof out->function);
      return true;
    }
  }
  return false;
}

// --- writable variables

// Returns true for sections whose variables are writable after loading and exist once per process.
static bool is_writable_section(bytes_t file, const Elf64_Ehdr *e, uint32_t index) {
  Elf64_Shdr s, names;
  if (!read_section(file, e, index, &s) || !read_section(file, e, e->e_shstrndx, &names))
    return false;
  const char *name = get_text_at(get_section_bytes(file, &names), s.sh_name);
  bool data = strncmp(name, ".data", 5) == 0 && strncmp(name, ".data.rel.ro", 12) != 0;
  return (data || strncmp(name, ".bss", 4) == 0) && !(s.sh_flags & SHF_TLS);
}

// Returns true for variables that the compiler, its libraries or Shoal's headers define.
static bool is_generated_variable(const char *name) {
  static const char *const prefixes[] = {"__", ".", "DW.ref.", "completed.", "shoal_", "_ZGV", "_ZT", "_ZSt", "_ZNSt"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return strncmp(name, "_Z", 2) == 0 && (strstr(name, "N5shoal") || strstr(name, "shoal_plugin_definition"));
}

// Writes the name of a variable as in the source: "calls" for "calls.0" (C) and "_ZZ4growvE5calls" (C++), which are
// local to a function.
static void write_variable(const char *name, char *out, size_t capacity) {
  size_t length = strlen(name), bytes = 0;
  for (size_t at = length; strncmp(name, "_ZZ", 3) == 0 && at > 3; --at) {
    const char *digits = name + at;
    bytes = 0;
    for (; name[at - 1] == 'E' && *digits >= '0' && *digits <= '9' && bytes < length; ++digits)
      bytes = bytes * 10 + (size_t)(*digits - '0');
    if (bytes > 0 && strlen(digits) >= bytes && (digits[bytes] == '\0' || digits[bytes] == '_')) {
      snprintf(out, capacity, "%.*s", (int)bytes, digits);
      return;
    }
  }
  demangle_name(name, out, capacity);
  const char *dot = strchr(out, '.');
  if (dot && dot != out)
    out[dot - out] = '\0';
}

// Reader of a library's symbol table. A local symbol belongs to the source file that the preceding STT_FILE symbol
// names. Global symbols come after all of these; their file is known only if the library has a single source file.
typedef struct variables_t {
  bytes_t file, entries, names;
  Elf64_Ehdr header;
  // source: file of the current symbol; only_source: the library's source file, or "" if it has several
  const char *source, *only_source;
} variables_t;

static bool find_symbol_table(variables_t *v) {
  Elf64_Shdr table, names;
  for (uint32_t i = 0; read_section(v->file, &v->header, i, &table); ++i)
    if (table.sh_type == SHT_SYMTAB && table.sh_entsize == sizeof(Elf64_Sym) &&
        read_section(v->file, &v->header, table.sh_link, &names)) {
      v->entries = get_section_bytes(v->file, &table);
      v->names = get_section_bytes(v->file, &names);
      return true;
    }
  return false;
}

static void detect_single_source(variables_t *v) {
  Elf64_Sym s;
  uint32_t count = 0;
  v->source = v->only_source = "";
  for (uint32_t k = 0; read_entry(v->entries, 0, k, sizeof s, &s); ++k) {
    const char *name = get_text_at(v->names, s.st_name);
    if (ELF64_ST_TYPE(s.st_info) == STT_FILE && name[0] && strcmp(name, "crtstuff.c") != 0)
      v->only_source = count++ == 0 ? name : "";
  }
}

uint32_t symbols_find_statics(const uint8_t *bytes, size_t size, symbols_static_t *out, uint32_t capacity) {
  variables_t v = {.file = {bytes, size}};
  Elf64_Sym s;
  uint32_t count = 0;
  if (!read_header(v.file, &v.header) || !find_symbol_table(&v))
    return 0;
  detect_single_source(&v);
  for (uint32_t k = 0; read_entry(v.entries, 0, k, sizeof s, &s); ++k) {
    const char *name = get_text_at(v.names, s.st_name);
    if (ELF64_ST_TYPE(s.st_info) == STT_FILE)
      v.source = name;
    if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || s.st_size == 0 || is_generated_variable(name) ||
        !is_writable_section(v.file, &v.header, s.st_shndx))
      continue;
    bool local = ELF64_ST_BIND(s.st_info) == STB_LOCAL && v.source[0];
    if (count < capacity) {
      out[count].size_bytes = s.st_size;
      write_variable(name, out[count].name, sizeof out[count].name);
      snprintf(out[count].file, sizeof out[count].file, "%s", local ? v.source : v.only_source);
    }
    ++count;
  }
  return count;
}

// --- lines

enum { MAX_FORMATS = 16, MAX_OPCODES = 256 };

typedef struct format_t {
  uint64_t content, form;
} format_t;

typedef struct unit_t {
  cursor_t program; // initially at the start of the line program
  bytes_t text, line_text;
  uint32_t version, offset_bytes;
  uint8_t minimum_bytes, opcode_base, line_range, default_statement;
  int8_t line_base;
  uint8_t operands[MAX_OPCODES];
  cursor_t folders, files; // starts of the two lists
  format_t folder_formats[MAX_FORMATS], file_formats[MAX_FORMATS];
  uint32_t folder_format_count, file_format_count;
  uint64_t folder_count, file_count;
} unit_t;

static const char *read_form_text(cursor_t *c, const unit_t *u, uint64_t form) {
  switch (form) {
  case 0x08: return read_text(c);                                              // string
  case 0x1f: return get_text_at(u->line_text, read_value(c, u->offset_bytes)); // line_strp
  case 0x0e: return get_text_at(u->text, read_value(c, u->offset_bytes));      // strp
  default: c->broken = true; return "";
  }
}

static uint64_t read_form_number(cursor_t *c, uint64_t form) {
  switch (form) {
  case 0x0b: return read_value(c, 1);
  case 0x05: return read_value(c, 2);
  case 0x06: return read_value(c, 4);
  case 0x07: return read_value(c, 8);
  case 0x0f: return read_leb(c);
  case 0x1e: skip_bytes(c, 16); return 0; // MD5
  case 0x09: skip_bytes(c, read_leb(c)); return 0;
  default: c->broken = true; return 0;
  }
}

typedef struct entry_t {
  const char *path;
  uint64_t folder;
} entry_t;

static entry_t read_path_entry(cursor_t *c, const unit_t *u, const format_t *formats, uint32_t count) {
  entry_t entry = {.path = ""};
  for (uint32_t i = 0; i < count; ++i) {
    if (formats[i].content == 1)
      entry.path = read_form_text(c, u, formats[i].form);
    else if (formats[i].content == 2)
      entry.folder = read_form_number(c, formats[i].form);
    else if (formats[i].form == 0x08 || formats[i].form == 0x1f || formats[i].form == 0x0e)
      read_form_text(c, u, formats[i].form);
    else
      read_form_number(c, formats[i].form);
  }
  return entry;
}

static uint32_t read_formats(cursor_t *c, format_t *out) {
  uint32_t count = (uint32_t)read_value(c, 1);
  c->broken |= count > MAX_FORMATS;
  for (uint32_t i = 0; i < count && !c->broken; ++i)
    out[i] = (format_t){.content = read_leb(c), .form = read_leb(c)};
  return c->broken ? 0 : count;
}

static void skip_entries(cursor_t *c, const unit_t *u, const format_t *formats, uint32_t count, uint64_t entries) {
  c->broken |= count == 0 && entries > 0;
  for (uint64_t i = 0; i < entries && !c->broken; ++i)
    read_path_entry(c, u, formats, count);
}

static entry_t read_old_file(cursor_t *c) {
  entry_t entry = {.path = read_text(c)};
  if (!entry.path[0])
    return entry;
  entry.folder = read_leb(c);
  read_leb(c); // modification time
  read_leb(c); // size
  return entry;
}

static void read_lists(cursor_t *c, unit_t *u) {
  if (u->version >= 5) {
    u->folder_format_count = read_formats(c, u->folder_formats);
    u->folder_count = read_leb(c);
    u->folders = *c;
    skip_entries(c, u, u->folder_formats, u->folder_format_count, u->folder_count);
    u->file_format_count = read_formats(c, u->file_formats);
    u->file_count = read_leb(c);
    u->files = *c;
    return; // the header states where the program starts
  }
  u->folders = *c;
  while (!c->broken && read_text(c)[0])
    ;
  u->files = *c;
}

static bool read_unit(cursor_t *c, unit_t *u) {
  uint64_t length = read_value(c, 4);
  u->offset_bytes = length == 0xffffffff ? 8 : 4;
  if (u->offset_bytes == 8)
    length = read_value(c, 8);
  cursor_t unit = {.at = c->at, .end = c->at, .broken = c->broken};
  skip_bytes(c, length);
  if (c->broken)
    return false;
  unit.end = c->at;
  u->version = (uint32_t)read_value(&unit, 2);
  if (u->version >= 5)
    skip_bytes(&unit, 2); // sizes of addresses and segment selectors
  uint64_t header = read_value(&unit, u->offset_bytes);
  u->program = unit;
  skip_bytes(&u->program, header);
  u->minimum_bytes = (uint8_t)read_value(&unit, 1);
  if (u->version >= 4)
    skip_bytes(&unit, 1); // operations per instruction
  u->default_statement = (uint8_t)read_value(&unit, 1);
  u->line_base = (int8_t)read_value(&unit, 1);
  u->line_range = (uint8_t)read_value(&unit, 1);
  u->opcode_base = (uint8_t)read_value(&unit, 1);
  for (uint32_t i = 1; i < u->opcode_base; ++i)
    u->operands[i] = (uint8_t)read_value(&unit, 1);
  read_lists(&unit, u);
  return true;
}

static entry_t get_path_entry(const unit_t *u, cursor_t c, const format_t *formats, uint32_t count, uint64_t number) {
  entry_t entry = {.path = ""};
  for (uint64_t i = 0; i <= number && !c.broken; ++i)
    entry = read_path_entry(&c, u, formats, count);
  return c.broken ? (entry_t){.path = ""} : entry;
}

static void write_file(const unit_t *u, uint64_t number, symbols_location_t *out) {
  entry_t file = {.path = ""};
  const char *folder = "";
  if (u->version >= 5) {
    if (number < u->file_count)
      file = get_path_entry(u, u->files, u->file_formats, u->file_format_count, number);
    if (file.folder > 0 && file.folder < u->folder_count)
      folder = get_path_entry(u, u->folders, u->folder_formats, u->folder_format_count, file.folder).path;
  } else {
    cursor_t c = u->files, folders = u->folders;
    for (uint64_t i = 0; i < number && !c.broken; ++i)
      file = read_old_file(&c);
    for (uint64_t i = 0; i < file.folder && !folders.broken; ++i)
      folder = read_text(&folders);
  }
  bool alone = !folder[0] || file.path[0] == '/';
  snprintf(out->file, sizeof out->file, "%s%s%s", alone ? "" : folder, alone ? "" : "/", file.path);
}

typedef struct row_t {
  uint64_t address, file, line;
  bool ended; // end of a sequence: `address` is the first address after it
} row_t;

typedef struct machine_t {
  row_t now, last; // `last`: the previous row, if has_last
  bool has_last;
} machine_t;

// Makes the current row the previous one. Returns true, and changes nothing, if the address is between the two.
static bool emit_row(machine_t *m, uint64_t address) {
  bool found = m->has_last && m->last.address <= address && address < m->now.address;
  if (found)
    return true;
  m->has_last = !m->now.ended;
  m->last = m->now;
  if (m->now.ended)
    m->now = (row_t){.file = 1, .line = 1};
  return false;
}

static bool run_extended_opcode(cursor_t *c, machine_t *m, uint64_t address) {
  uint64_t bytes = read_leb(c);
  cursor_t inside = *c;
  skip_bytes(c, bytes);
  uint8_t code = (uint8_t)read_value(&inside, 1);
  if (c->broken || bytes == 0)
    return false;
  if (code == 2) // set_address
    m->now.address = read_value(&inside, bytes - 1 <= 8 ? bytes - 1 : 8);
  m->now.ended = code == 1;
  return code == 1 && emit_row(m, address);
}

static bool run_standard_opcode(const unit_t *u, cursor_t *c, uint8_t code, machine_t *m, uint64_t address) {
  switch (code) {
  case 1: return emit_row(m, address);                                    // copy
  case 2: m->now.address += read_leb(c) * u->minimum_bytes; return false; // advance_pc
  case 3: m->now.line += (uint64_t)read_signed_leb(c); return false;      // advance_line
  case 4: m->now.file = read_leb(c); return false;                        // set_file
  case 8:                                                                 // const_add_pc
    m->now.address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->minimum_bytes;
    return false;
  case 9: m->now.address += read_value(c, 2); return false; // fixed_advance_pc
  default:
    for (uint32_t i = 0; i < u->operands[code]; ++i)
      read_leb(c);
    return false;
  }
}

static bool run_special_opcode(const unit_t *u, uint8_t code, machine_t *m, uint64_t address) {
  uint32_t step = (uint32_t)code - u->opcode_base;
  m->now.address += (uint64_t)(step / u->line_range) * u->minimum_bytes;
  m->now.line += (uint64_t)(int64_t)(u->line_base + (int32_t)(step % u->line_range));
  return emit_row(m, address);
}

static bool run_line_program(const unit_t *u, uint64_t address, machine_t *m) {
  cursor_t c = u->program;
  *m = (machine_t){.now = {.file = 1, .line = 1}};
  while (c.at < c.end && !c.broken) {
    uint8_t code = (uint8_t)read_value(&c, 1);
    bool found = code >= u->opcode_base ? run_special_opcode(u, code, m, address)
                 : code == 0            ? run_extended_opcode(&c, m, address)
                                        : run_standard_opcode(u, &c, code, m, address);
    if (found)
      return true;
  }
  return false;
}

static bool find_line(bytes_t file, const Elf64_Ehdr *e, uint64_t address, symbols_location_t *out) {
  cursor_t c = create_cursor(find_section(file, e, ".debug_line"));
  bytes_t text = find_section(file, e, ".debug_str"), line_text = find_section(file, e, ".debug_line_str");
  while (c.at < c.end && !c.broken) {
    unit_t u = {.text = text, .line_text = line_text};
    machine_t m;
    if (!read_unit(&c, &u) || u.version < 2 || u.version > 5 || u.line_range == 0 || u.opcode_base == 0)
      continue;
    if (!run_line_program(&u, address, &m))
      continue;
    out->line = m.last.line <= UINT32_MAX ? (uint32_t)m.last.line : 0;
    write_file(&u, m.last.file, out);
    return true;
  }
  return false;
}

bool symbols_find_location(const uint8_t *bytes, size_t size, uint64_t address, symbols_location_t *out) {
  shoal_assert(bytes || size == 0, "bytes is NULL, but size is %zu", size);
  bytes_t file = {bytes, size};
  Elf64_Ehdr e;
  memset(out, 0, sizeof *out);
  if (!read_header(file, &e))
    return false;
  shoal_assert(!out->function[0] && !out->file[0], "out must be empty");
  bool named = find_in_table(file, &e, SHT_SYMTAB, address, out) || find_in_table(file, &e, SHT_DYNSYM, address, out);
  return find_line(file, &e, address, out) || named;
}
