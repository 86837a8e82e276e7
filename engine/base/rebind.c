// Walks the relocations of a loaded library, as the dynamic linker does, and replaces addresses.
#include "base/rebind.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

#if defined(__linux__) && defined(__LP64__)
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEPTH 2 // maximum depth: a library and its direct dependencies

typedef struct tables_t {
  const ElfW(Sym) * symbols;
  const char *texts;
  const ElfW(Rela) * data, *calls;
  size_t data_count, call_count;
} tables_t;

// Addresses of a library's data that the dynamic linker made read-only after relocation.
typedef struct sealed_t {
  uintptr_t base, from, to;
} sealed_t;

static tables_t read_tables(const struct link_map *m) {
  tables_t t = {0};
  for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; ++d)
    switch (d->d_tag) {
    case DT_SYMTAB: t.symbols = (const ElfW(Sym) *)d->d_un.d_ptr; break;
    case DT_STRTAB: t.texts = (const char *)d->d_un.d_ptr; break;
    case DT_RELA: t.data = (const ElfW(Rela) *)d->d_un.d_ptr; break;
    case DT_RELASZ: t.data_count = d->d_un.d_val / sizeof *t.data; break;
    case DT_JMPREL: t.calls = (const ElfW(Rela) *)d->d_un.d_ptr; break;
    case DT_PLTRELSZ: t.call_count = d->d_un.d_val / sizeof *t.calls; break;
    default: break;
    }
  return t;
}

static int find_sealed_range(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  sealed_t *s = context;
  if (info->dlpi_addr != s->base)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      s->from = s->base + info->dlpi_phdr[i].p_vaddr;
      s->to = s->from + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

static bool write_address(void **place, void *function, const sealed_t *sealed) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)place, from = at / page * page;
  bool is_sealed = at >= sealed->from && at < sealed->to;
  if (is_sealed && mprotect((void *)from, page, PROT_READ | PROT_WRITE) != 0)
    return false;
  *place = function;
  if (is_sealed)
    mprotect((void *)from, page, PROT_READ);
  return true;
}

static uint32_t rebind_list(const struct link_map *m, const tables_t *t, const ElfW(Rela) * rows, size_t row_count,
                            const rebind_t *list, uint32_t count) {
  uint32_t changed = 0;
  sealed_t sealed = {.base = m->l_addr};
  dl_iterate_phdr(find_sealed_range, &sealed);
  for (size_t i = 0; i < row_count; ++i) {
    size_t symbol = ELF64_R_SYM(rows[i].r_info);
    void **place = (void **)(m->l_addr + rows[i].r_offset);
    const char *name = symbol ? t->texts + t->symbols[symbol].st_name : "";
    for (uint32_t k = 0; name[0] && rows[i].r_addend == 0 && k < count; ++k)
      if (strcmp(name, list[k].name) == 0 && *place != list[k].function)
        changed += write_address(place, list[k].function, &sealed) ? 1 : 0;
  }
  return changed;
}

static bool is_system_library(const char *name) {
  static const char *const names[] = {"libc.", "libm.", "ld-", "libpthread.", "libdl.", "librt.", "libgcc_s."};
  const char *slash = strrchr(name, '/');
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strncmp(slash ? slash + 1 : name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

static const struct link_map *find_library(const struct link_map *m, const char *name) {
  while (m->l_prev)
    m = m->l_prev;
  for (; m; m = m->l_next) {
    const char *slash = strrchr(m->l_name, '/');
    if (strcmp(slash ? slash + 1 : m->l_name, name) == 0)
      return m;
  }
  return NULL;
}

static uint32_t rebind_library(const struct link_map *m, const rebind_t *list, uint32_t count, int depth) {
  tables_t t = read_tables(m);
  uint32_t changed = 0;
  if (!t.symbols || !t.texts)
    return 0;
  changed += rebind_list(m, &t, t.data, t.data ? t.data_count : 0, list, count);
  changed += rebind_list(m, &t, t.calls, t.calls ? t.call_count : 0, list, count);
  for (const ElfW(Dyn) *d = m->l_ld; depth > 1 && d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED && !is_system_library(t.texts + d->d_un.d_val)) {
      const struct link_map *needed = find_library(m, t.texts + d->d_un.d_val);
      changed += needed ? rebind_library(needed, list, count, depth - 1) : 0;
    }
  return changed;
}

uint32_t rebind_functions(const void *inside, const rebind_t *list, uint32_t count) {
  shoal_assert(inside && list, "inside and list must not be NULL");
  Dl_info info;
  struct link_map *m = NULL;
  if (!dladdr1(inside, &info, (void **)&m, RTLD_DL_LINKMAP) || !m || !m->l_ld)
    return 0;
  return rebind_library(m, list, count, DEPTH);
}
#else
uint32_t rebind_functions(const void *inside, const rebind_t *list, uint32_t count) {
  (void)inside, (void)list, (void)count;
  return 0;
}
#endif
